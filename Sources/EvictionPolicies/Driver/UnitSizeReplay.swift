import CacheModel

/// What a replay counted.
///
/// Every request is a hit or a miss.
package struct ReplayCounts: Hashable, Sendable {
  package var requests = 0
  package var misses = 0
  package var evictions = 0

  package var hits: Int { requests - misses }

  package init(requests: Int = 0, misses: Int = 0, evictions: Int = 0) {
    self.requests = requests
    self.misses = misses
    self.evictions = evictions
  }
}

/// Replays requests against one eviction policy where every entity weighs the same.
///
/// Demand fill from a cold start: a request for an entity that is not resident is a miss and admits
/// it, after an eviction if the cache is full. The driver owns residency and counts; the policy is
/// asked for victims only, and one that is not resident traps.
enum UnitSizeReplay<Policy: EvictionPolicy & ~Copyable> {
  /// Replays from a cold start.
  ///
  /// - Parameters:
  ///   - ids: the requests, each an entity numbered from 0; the numbers serve as slots.
  ///   - distinct: above every id; the tables are sized by it.
  ///   - capacity: how many entities fit; 0 admits none.
  ///   - random: for policies that draw.
  /// - Returns: what the driver counted.
  /// - Complexity: O(requests), and O(distinct) memory; the loop allocates nothing.
  static func run(
    _ ids: borrowing Span<UInt32>, distinct: Int, capacity: Int, random: RandomSource
  ) -> ReplayCounts {
    precondition(capacity >= 0, "a capacity of \(capacity) entities does not exist")
    guard capacity > 0 else { return ReplayCounts(requests: ids.count, misses: ids.count) }
    var policy = Policy(capacity: capacity, random: random)
    policy.reserve(slots: distinct)
    var isResident = Fixed(repeating: false, count: distinct)
    var residents = 0
    var misses = 0
    for index in ids.indices {
      let id = ids[index]
      let entry = EvictionEntry(slot: Slot(bitPattern: id), fingerprint: UInt64(id))
      if isResident[entry.slot] {
        policy.didHit(entry)
        continue
      }
      misses += 1
      if residents == capacity {
        guard let victim = policy.nextVictim(), isResident[victim] else {
          preconditionFailure("\(Policy.name) named no resident entity in a full cache")
        }
        policy.didRemove(victim, cause: .evicted)
        isResident[victim] = false
      } else {
        residents += 1
      }
      policy.didInsert(entry)
      isResident[entry.slot] = true
    }
    return ReplayCounts(requests: ids.count, misses: misses, evictions: misses - residents)
  }
}
