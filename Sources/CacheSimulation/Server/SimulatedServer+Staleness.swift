import CacheModel
import Workloads

extension SimulatedServer {
  /// When the earliest commit happened that a served result misses; `nil` where every row of it is
  /// current and none that belongs in its window is absent.
  ///
  /// A served row misses the commit that superseded it. A row of the truth that was not served misses
  /// the commit since which its object has stood in the served window; one that would not stand there
  /// only moved up, and another row tells when. In a list of summaries a row is current as long as it
  /// looks the same; only where all do, and stand otherwise, each misses what superseded it. O(rows).
  mutating func earliestMissedCommit(
    served: [Handle], truth: [Handle], _ query: Int
  ) -> Int64? {
    let spec = workload.queries[query]
    if seen.areSummaries(query),
      let missed = earliestMissedCommit(
        served: served, truth: truth, spec, since: { $0.looksOutdatedSince($1) })
    {
      return missed
    }
    return earliestMissedCommit(
      served: served, truth: truth, spec, since: { $0.supersededAt[Int($1)] })
  }

  /// When a state ceased to be the one that is seen in summaries; `Int64.max`: it has not.
  private borrowing func looksOutdatedSince(_ revision: UInt32) -> Int64 {
    var last = Int(revision)
    // A log may tell of a state twice, so that states succeed one another in a circle.
    while case let next = successor[last], next != Self.noRevision,
      committedAt[Int(next)] > committedAt[last], seen.areAlike(revision, next)
    {
      last = Int(next)
    }
    return supersededAt[last]
  }

  @inline(__always)
  private mutating func earliestMissedCommit(
    served: [Handle], truth: [Handle], _ spec: QuerySpec,
    since outdated: (borrowing SimulatedServer, UInt32) -> Int64
  ) -> Int64? {
    guard let section = order.section(of: spec) else { return nil }
    let range = order.range(of: spec, inSection: section)
    stamp += 1
    var earliest = Int64.max
    for row in served {
      stamps[Int(row.object)] = stamp
      earliest = min(earliest, outdated(self, row.revision))
    }
    let last: SortKey? =
      served.count < Int(spec.limit)
      ? nil : served.last.map { order.sortKey($0.revision, inSection: section) }
    for row in truth where stamps[Int(row.object)] != stamp {
      let window = Window(section: section, range: range, last: last)
      guard stands(row.revision, in: window) else { continue }
      var first = row.revision
      while case let before = predecessor[Int(first)], before != Self.noRevision,
        stands(before, in: window)
      {
        first = before
      }
      earliest = min(earliest, committedAt[Int(first)])
    }
    return earliest == .max ? nil : earliest
  }

  /// What was served of a list.
  private struct Window {
    var section: Int
    var range: Range<Int>
    /// Of its last row, where there may be more.
    var last: SortKey?
  }

  private func stands(_ revision: UInt32, in window: Window) -> Bool {
    guard let entry = order.entry(of: revision, inSection: window.section),
      window.range.contains(entry)
    else { return false }
    return window.last.map { order.sortKey(revision, inSection: window.section) < $0 } ?? true
  }
}
