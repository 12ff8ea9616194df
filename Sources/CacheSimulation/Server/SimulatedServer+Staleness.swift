import CacheModel
import Workloads

extension SimulatedServer {
  /// When the earliest commit happened that a served result misses; `nil` where every row of it is
  /// current and none that belongs in its window is absent.
  ///
  /// A served row misses the commit that superseded it. A row of the truth that was not served misses
  /// the commit since which its object has stood in the served window; one that would not stand there
  /// only moved up, and another row tells when. O(rows).
  mutating func earliestMissedCommit(
    served: [Handle], truth: [Handle], _ spec: QuerySpec
  ) -> Int64? {
    stamp += 1
    var earliest = Int64.max
    for row in served {
      stamps[Int(row.object)] = stamp
      earliest = min(earliest, supersededAt[Int(row.revision)])
    }
    let last: SortKey? =
      served.count < Int(spec.limit)
      ? nil : served.last.map { sortKey($0.revision, spec) }
    for row in truth where stamps[Int(row.object)] != stamp {
      guard standsInWindow(row.revision, endingAt: last, spec) else { continue }
      var first = row.revision
      while case let before = predecessor[Int(first)], before != Self.noRevision,
        standsInWindow(before, endingAt: last, spec)
      {
        first = before
      }
      earliest = min(earliest, committedAt[Int(first)])
    }
    return earliest == .max ? nil : earliest
  }

  private func standsInWindow(
    _ revision: UInt32, endingAt last: SortKey?, _ spec: QuerySpec
  ) -> Bool {
    guard matches(revision, spec) else { return false }
    guard let last else { return true }
    return sortKey(revision, spec) < last
  }
}
