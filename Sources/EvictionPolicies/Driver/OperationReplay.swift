/// Replays operations against one eviction policy: gets, sets, updates, deletes, weights, lifetimes.
///
/// Demand fill from a cold start. On a trace of gets without weights and lifetimes it has the same counts as
/// ``UnitSizeReplay``, which is faster. ``OperationCache`` defines the effect of each operation.
enum OperationReplay<Policy: EvictionPolicy & ~Copyable> {
  /// Replays from a cold start.
  ///
  /// - Complexity: O(lines + evictions), and O(distinct) memory; the loop allocates nothing.
  static func run(
    _ trace: OperationTrace, rules: ReplayRules, policy: consuming Policy
  ) -> OperationCounts {
    var cache = OperationCache(for: trace, rules: rules, policy: policy)
    let ids = trace.ids.span
    let operations = trace.operations.span
    let weights = trace.weights.span
    let lifetimes = trace.lifetimes.span
    let times = trace.times.span
    let futures = Policy.needsFuture ? NextUses.of(ids, distinct: trace.distinct) : []
    let nextUses = futures.span
    let standard = rules.timeToLive ?? 0
    for index in ids.indices {
      cache.now = times.isEmpty ? Int64(index) &* rules.interval : times[index]
      var lifetime = lifetimes.isEmpty ? 0 : lifetimes[index]
      if lifetime == 0 { lifetime = standard }
      var line = OperationLine(
        id: Int(ids[index]), weight: weights.isEmpty ? 1 : weights[index], lifetime: lifetime)
      if Policy.needsFuture, nextUses[index] != NextUses.never {
        line.nextUse = Int64(nextUses[index])
      }
      switch operations.isEmpty ? .get : operations[index] {
      case .get: cache.get(line)
      case .set: cache.set(line)
      case .update: cache.update(line.id)
      case .delete: cache.delete(line.id)
      }
    }
    return cache.counts
  }
}

/// A line's statement about its entity.
struct OperationLine: BitwiseCopyable {
  /// The number of the entity.
  var id: Int
  /// The weight in bytes; 0: unknown.
  var weight: Int32
  /// The lifetime in nanoseconds; 0: forever.
  var lifetime: Int64
  /// The index of the next line with the same entity, if the policy needs it.
  ///
  /// Any operation counts, so a bound that uses it is an estimate.
  var nextUse = Int64.max
}

/// The counts of a replay.
///
/// Every request is a hit or a miss.
package struct ReplayCounts: Hashable, Sendable {
  package var requests = 0
  package var misses = 0
  package var evictions = 0
  /// Entities that were fetched and not stored: rejected, or larger than the whole cache.
  package var rejections = 0

  package var hits: Int { requests - misses }

  package init(requests: Int = 0, misses: Int = 0, evictions: Int = 0, rejections: Int = 0) {
    self.requests = requests
    self.misses = misses
    self.evictions = evictions
    self.rejections = rejections
  }
}

/// Replays requests of equal weight against one eviction policy.
///
/// Demand fill from a cold start: a request for an entity that is not resident is a miss and admits it, after
/// an eviction if the cache is full. The driver owns residency and counts; the policy only names victims, and
/// traps if one is not resident.
///
/// As in a cache, slots are few and reused: an arrival gets the slot of the victim. So a policy's tables are
/// as large as the capacity, not the trace. The only table as large as the trace, from entity to slot, is
/// accessed at addresses known in advance.
struct UnitSizeReplay<Policy: EvictionPolicy & ~Copyable>: ~Copyable {
  /// The number of requests by which the memory of a request is prefetched ahead.
  private static var lookahead: Int { 24 }

  private var policy: Policy
  /// The slot of each entity; -1: not resident.
  private var slots: Flat<Slot>
  /// The entity in each slot, for slots below `residents`.
  private var residentIDs: Flat<UInt32>
  private let capacity: Int
  private var residents = 0
  private var misses = 0
  private var evictions = 0
  private var rejections = 0

  /// Replays from a cold start.
  ///
  /// - Complexity: O(requests); memory of four bytes per key, and the policy's per entity of the capacity.
  ///   The loop allocates nothing.
  static func run(
    _ ids: borrowing Span<UInt32>, nextUses: borrowing Span<UInt32>, distinct: Int, capacity: Int,
    policy: consuming Policy
  ) -> ReplayCounts {
    precondition(capacity >= 0, "a capacity of \(capacity) entities does not exist")
    guard capacity > 0 else {
      return ReplayCounts(requests: ids.count, misses: ids.count, rejections: ids.count)
    }
    var replay = UnitSizeReplay(distinct: distinct, capacity: capacity, policy: policy)
    if Policy.needsFuture {
      precondition(nextUses.count == ids.count, "\(Policy.name) needs the next uses")
    }
    let last = ids.count - 1
    for index in ids.indices {
      let upcoming = ids[min(index + lookahead, last)]
      replay.slots.prefetch(Int(upcoming))
      replay.policy.prefetch(UInt64(upcoming))
      let next = Policy.needsFuture ? nextUses[index] : NextUses.never
      replay.request(ids[index], nextUse: next == NextUses.never ? .max : Int64(next))
    }
    return ReplayCounts(
      requests: ids.count, misses: replay.misses, evictions: replay.evictions,
      rejections: replay.rejections)
  }

  private init(distinct: Int, capacity: Int, policy: consuming Policy) {
    let places = min(capacity, distinct)
    self.policy = policy
    self.policy.reserve(slots: places)
    self.policy.reserve(fingerprintsBelow: distinct)
    slots = Flat(repeating: -1, count: distinct)
    residentIDs = Flat(repeating: 0, count: places)
    self.capacity = capacity
  }

  @inline(__always)
  private mutating func request(_ id: UInt32, nextUse: Int64) {
    let slot = slots[Int(id)]
    var entry = EvictionEntry(slot: slot, fingerprint: UInt64(id), nextUse: nextUse)
    if slot >= 0 {
      policy.didHit(entry)
      return
    }
    misses += 1
    if residents < capacity {
      entry.slot = Slot(truncatingIfNeeded: residents)
      residents += 1
    } else {
      guard policy.admits(entry) else {
        rejections += 1
        return
      }
      policy.willInsert(entry)
      guard let victim = policy.nextVictim(), victim >= 0, victim < residents else {
        preconditionFailure("\(Policy.name) named no resident entity in a full cache")
      }
      policy.didRemove(victim, cause: .evicted)
      evictions += 1
      slots[Int(residentIDs[victim])] = -1
      entry.slot = victim
    }
    slots[Int(id)] = entry.slot
    residentIDs[entry.slot] = id
    policy.didInsert(entry)
  }
}
