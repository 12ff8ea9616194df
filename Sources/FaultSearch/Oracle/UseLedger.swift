import CacheModel
import NormalizedCache

/// When each query was last used, in calls of the store: read, or observed for the first or last time.
struct UseLedger: Sendable {
  private var uses: [(key: QueryKey, call: Int)] = []
  /// The queries that had a result after the last call.
  var cached: [QueryKey] = []
  /// How many had left by then.
  var evicted = 0

  /// The call of a query's last use; `nil`: not in this process.
  func lastUse(of key: QueryKey) -> Int? { uses.first { $0.key == key }?.call }

  mutating func note(_ key: QueryKey, at call: Int) {
    uses.removeAll { $0.key == key }
    uses.append((key, call))
  }
}

extension FaultRun {
  /// No query left at the maximum that was used later than one which nobody observes, and which stays.
  mutating func checkLeft() {
    guard oracle.dropsLeastUsed else { return }
    let cached = store.queriesWithResult
    let before = uses.cached
    uses.cached = cached
    guard store.statistics.queriesEvicted > uses.evicted else { return }
    uses.evicted = store.statistics.queriesEvicted
    let stayed = cached.filter { key in
      !tagged.contains(key) && !observers.contains { $0.key == key }
    }
    for key in before
    where !cached.contains(key) && store.causeOfDeparture(of: key) == .missEvicted {
      guard let use = uses.lastUse(of: key) else { continue }
      for other in stayed {
        guard let earlier = uses.lastUse(of: other), earlier < use else { continue }
        diverge(
          .leastUsedLeaves, about: Oracle.name(key),
          expected: "\(Oracle.name(other)), last used in call \(earlier), to leave first",
          found: "left, last used in call \(use)")
      }
    }
  }
}
