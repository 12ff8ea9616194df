import CacheModel
import Workloads

/// Numbers the versions that a cache may be sent, so that of one object a later one is greater.
///
/// A version that the history of a workload has is numbered by its place among all. Where users write, the
/// server makes versions of its own, each later than all that it has written by then: these are numbered
/// behind the one of the history that they follow.
struct VersionOrder: Sendable {
  /// Each once, in order.
  private let versions: [Version]
  private let ranks: [Version: Int]
  /// How far apart the numbers of two neighbours of the history are.
  private let step: Int

  init(of workload: Workload) {
    var versions = workload.catalog.revisions.map(\.version)
    versions += workload.mutations.map(\.version)
    versions.sort()
    var ranks: [Version: Int] = [:]
    var distinct: [Version] = []
    for version in versions where ranks[version] == nil {
      ranks[version] = ranks.count
      distinct.append(version)
    }
    self.versions = distinct
    self.ranks = ranks
    step = workload.writes.isEmpty ? 1 : 1 << 20
  }

  /// O(1) for versions of the history, else O(log n).
  func number(of version: Version) -> Int {
    if let rank = ranks[version] { return rank * step }
    guard step > 1 else { return 0 }
    var (low, high) = (0, versions.count)
    while low < high {
      let middle = (low + high) / 2
      if versions[middle] < version { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    let behind = version.clock - versions[low - 1].clock
    // As many steps of the clock as there were writes, at most.
    return (low - 1) * step + 1 + Int(min(behind, UInt64(step - 2)))
  }
}
