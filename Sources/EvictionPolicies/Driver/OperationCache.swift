import CacheModel

/// The cache of a replay of operations: residency, weight, freshness and counts; the policy is asked
/// for victims only.
///
/// - **get**: a copy that is fresh, or stale without the cache's knowledge, is a hit. Otherwise the
///   entity is fetched, and kept as a new arrival, with the line's weight and lifetime.
/// - **set**: the copy takes the new value, weight and lifetime, which counts as a use; where there is
///   none, one is made. A set is neither hit nor miss.
/// - **update**: a copy becomes stale where it stands, and keeps its space; the order hears nothing.
/// - **delete**: a copy is removed, and the key is as if never seen.
///
/// An expired copy keeps its space until it is read, written or evicted. A hit renews no lifetime. A
/// line without weight takes the last known weight of its entity, or 1. Where the capacity is in
/// entities, every entity weighs 1 to the policy, and bytes are counted only.
///
/// What is called from several places is not inlined: the loop is compiled for each policy, and copies of
/// the policy at every call would take half of the module's compile time for no speed.
struct OperationCache<Policy: EvictionPolicy & ~Copyable>: ~Copyable {
  var policy: Policy
  var counts = OperationCounts()
  /// Nanoseconds; set by the driver before each line.
  var now: Int64 = 0

  /// By entity; as in a cache, slots are few and reused.
  var entities: Fixed<EntityState>
  /// The last known weights, by entity; empty where every entity weighs 1.
  var weights: Fixed<Int32>
  /// Of copies, by entity; empty where nothing expires.
  var expiries: Fixed<Int64>
  /// Who resides in a slot.
  var residents: Fixed<UInt32>
  /// Slots that were given back, the latest last.
  var vacated: Fixed<Slot>
  var vacatedCount = 0
  /// How many slots were ever used.
  var slotCount = 0
  let servesStale: Bool
  let countsBytes: Bool
  let capacity: Int
  /// Entities or bytes, as the capacity counts.
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
    // The copy that has grown may be the victim itself.
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
