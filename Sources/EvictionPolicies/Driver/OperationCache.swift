/// The cache of a replay of operations: residency, weight, freshness and counts; the policy only names
/// victims.
///
/// - **get**: a copy that is fresh, or stale without the cache's knowledge, is a hit. Otherwise the entity is
///   fetched and stored as a new arrival, with the line's weight and lifetime.
/// - **set**: the copy gets the new value, weight and lifetime, which counts as a use; without a copy, one is
///   stored. A set is neither hit nor miss.
/// - **update**: a copy becomes stale in place; the order is not notified.
/// - **delete**: a copy is removed, and the key counts as never seen.
///
/// An expired copy keeps its space until it is read, written or evicted. A hit does not renew the lifetime. A
/// line without weight uses the last known weight of its entity, or 1. If the capacity is in entities, every
/// entity has weight 1 for the policy, and bytes are only counted.
///
/// Functions with several callers are not inlined: the loop is compiled for each policy, and copies of the
/// policy at every call would take half of the module's compile time without speeding it up.
struct OperationCache<Policy: EvictionPolicy & ~Copyable>: ~Copyable {
  var policy: Policy
  var counts = OperationCounts()
  /// The current time in nanoseconds, set by the driver before each line.
  var now: Int64 = 0

  /// The states by entity; as in a cache, slots are few and reused.
  var entities: Fixed<EntityState>
  /// The last known weights, by entity; empty if every entity has weight 1.
  var weights: Fixed<Int32>
  /// The expiries of copies, by entity; empty if nothing expires.
  var expiries: Fixed<Int64>
  /// The entity in each slot.
  var residents: Fixed<UInt32>
  /// Free slots, the most recently freed last.
  var vacated: Fixed<Slot>
  var vacatedCount = 0
  /// The number of slots ever used.
  var slotCount = 0
  let servesStale: Bool
  let countsBytes: Bool
  let capacity: Int
  /// The use of the capacity, in entities or bytes.
  var used = 0

  init(for trace: OperationTrace, rules: ReplayRules, policy: consuming Policy) {
    let limit = Policy.isBounded ? rules.capacity.limit : .max
    precondition(limit >= 0, "a capacity of \(limit) does not exist")
    let expires = !trace.lifetimes.isEmpty || rules.timeToLive != nil
    let slots = min(limit, trace.distinct)
    self.policy = policy
    self.policy.reserve(slots: slots)
    self.policy.reserve(fingerprintsBelow: trace.distinct)
    entities = Fixed(repeating: EntityState(), count: trace.distinct)
    weights = Fixed(repeating: 1, count: trace.weights.isEmpty ? 0 : trace.distinct)
    expiries = Fixed(repeating: .max, count: expires ? trace.distinct : 0)
    residents = Fixed(repeating: 0, count: slots)
    vacated = Fixed(repeating: 0, count: slots)
    servesStale = rules.updates == .unseen
    countsBytes = rules.capacity.isInBytes
    capacity = limit
  }

  mutating func get(_ line: OperationLine) {
    let id = line.id
    let state = entities[id]
    counts.gets += 1
    if state.isResident {
      let isKnownStale = state.isStale && !servesStale
      let isExpired = expiries.count > 0 && now >= expiries[id]
      if !isKnownStale && !isExpired {
        counts.hits += 1
        if state.isStale { counts.staleHits += 1 }
        counts.bytesRequested += weight(of: id)
        policy.didHit(entry(line, slot: state.slot))
        return
      }
      if isKnownStale { counts.coherenceMisses += 1 } else { counts.expiredMisses += 1 }
      remove(id, cause: isKnownStale ? .invalidated : .expired)
    } else if state.isKnown {
      counts.capacityMisses += 1
    } else {
      counts.compulsoryMisses += 1
    }
    note(line)
    counts.bytesRequested += weight(of: id)
    counts.bytesMissed += weight(of: id)
    insert(line)
  }

  @inline(never)
  mutating func set(_ line: OperationLine) {
    let id = line.id
    counts.sets += 1
    guard entities[id].isResident else {
      note(line)
      insert(line)
      return
    }
    used -= cost(of: id)
    note(line)
    used += cost(of: id)
    entities[id].isStale = false
    policy.didHit(entry(line, slot: entities[id].slot))
    if cost(of: id) > capacity {
      remove(id, cause: .replaced)
      counts.rejections += 1
    }
    // The grown copy may be the victim itself.
    while used > capacity { evict() }
  }

  @inline(never)
  mutating func update(_ id: Int) {
    counts.updates += 1
    guard entities[id].isResident, !entities[id].isStale else { return }
    entities[id].isStale = true
    counts.invalidations += 1
  }

  @inline(never)
  mutating func delete(_ id: Int) {
    counts.deletes += 1
    if entities[id].isResident {
      remove(id, cause: .deleted)
      counts.deletions += 1
    }
    entities[id] = EntityState()
  }
}

extension OperationCache where Policy: ~Copyable {
  /// Stores a line's attributes for a copy made now.
  mutating func note(_ line: OperationLine) {
    entities[line.id].isKnown = true
    if weights.count > 0, line.weight > 0 { weights[line.id] = line.weight }
    if expiries.count > 0 {
      let (expiry, overflow) = now.addingReportingOverflow(line.lifetime)
      expiries[line.id] = line.lifetime == 0 || overflow ? .max : expiry
    }
  }

  @inline(never)
  mutating func insert(_ line: OperationLine) {
    let cost = cost(of: line.id)
    guard cost <= capacity else {
      counts.rejections += 1
      return
    }
    if used > capacity - cost {
      let arrival = entry(line, slot: -1)
      guard policy.admits(arrival) else {
        counts.rejections += 1
        return
      }
      policy.willInsert(arrival)
      while used > capacity - cost { evict() }
    }
    let slot = vacantSlot()
    residents[slot] = UInt32(truncatingIfNeeded: line.id)
    entities[line.id].slot = slot
    used += cost
    policy.didInsert(entry(line, slot: slot))
  }

  @inline(never)
  mutating func evict() {
    guard let victim = policy.nextVictim(), victim >= 0, Int(victim) < slotCount,
      entities[Int(residents[victim])].slot == victim
    else { preconditionFailure("\(Policy.name) named no resident entity in a full cache") }
    remove(Int(residents[victim]), cause: .evicted)
    counts.evictions += 1
  }

  @inline(never)
  mutating func remove(_ id: Int, cause: RemovalCause) {
    let slot = entities[id].slot
    policy.didRemove(slot, cause: cause)
    entities[id].leave()
    vacated[vacatedCount] = slot
    vacatedCount += 1
    used -= cost(of: id)
  }

  private mutating func vacantSlot() -> Slot {
    if vacatedCount > 0 {
      vacatedCount -= 1
      return vacated[vacatedCount]
    }
    slotCount += 1
    return Slot(truncatingIfNeeded: slotCount - 1)
  }

  func weight(of id: Int) -> Int { weights.count > 0 ? Int(weights[id]) : 1 }
  func cost(of id: Int) -> Int { countsBytes ? weight(of: id) : 1 }

  func entry(_ line: OperationLine, slot: Slot) -> EvictionEntry {
    EvictionEntry(
      slot: slot, fingerprint: UInt64(line.id),
      weight: countsBytes && weights.count > 0 ? weights[line.id] : 1,
      expiry: expiries.count > 0 ? expiries[line.id] : .max, nextUse: line.nextUse)
  }
}

/// The slot of an entity in a replay's cache, and its state.
struct EntityState: BitwiseCopyable {
  /// -1: nowhere.
  var slot: Slot = -1
  /// Whether the trace has read or written it (since its deletion, if it was deleted).
  var isKnown = false
  /// Whether another client wrote it after the copy was made.
  var isStale = false

  var isResident: Bool { slot >= 0 }

  mutating func leave() {
    slot = -1
    isStale = false
  }
}

package enum ReplayCapacity: Hashable, Sendable {
  /// A number of entities, whatever their weight.
  case entities(Int)
  /// A number of bytes.
  case bytes(Int)

  /// The number, in the unit of the weights that a policy receives.
  var limit: Int {
    switch self {
    case .entities(let count), .bytes(let count): count
    }
  }

  var isInBytes: Bool {
    if case .bytes = self { true } else { false }
  }
}

package struct ReplayRules: Hashable, Sendable {
  /// The effect on a copy when another client writes the entity.
  package enum Updates: String, Hashable, Sendable, CaseIterable {
    /// The cache is notified: the copy becomes stale in place, and its next get is a coherence miss.
    case invalidate
    /// The cache is not notified: the copy is served, and its gets are stale hits.
    case unseen
  }

  package var capacity: ReplayCapacity
  package var updates: Updates
  /// The lifetime in nanoseconds of a copy whose line has none; `nil`: forever.
  package var timeToLive: Int64?
  /// The nanoseconds between lines if the trace has no times.
  package var interval: Int64

  package init(
    capacity: ReplayCapacity, updates: Updates = .invalidate, timeToLive: Int64? = nil,
    interval: Int64 = 0
  ) {
    self.capacity = capacity
    self.updates = updates
    self.timeToLive = timeToLive
    self.interval = interval
  }
}
