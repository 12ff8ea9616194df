import CacheModel
import Workloads

/// The states that an app recorded, found by what its results name them: object and version.
///
/// Empty where the truth is known.
struct RecordedStates: Sendable {
  private let revisions: [Name: UInt32]

  private struct Name: Hashable, Sendable {
    var object: UInt32
    var version: Version
  }

  init(of workload: Workload) {
    let all = workload.catalog.revisions
    let recorded = workload.truth == .observed ? all.indices : 0..<0
    revisions = Dictionary(
      recorded.map {
        (Name(object: all[$0].object, version: all[$0].version), UInt32($0))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The rows of a result, in its order; what no line of the recording tells of is left out.
  func rows(of result: ObservedResult) -> [Handle] {
    result.rows.compactMap { row in
      revisions[Name(object: row.object, version: row.version)]
        .map { Handle(object: row.object, revision: $0) }
    }
  }
}
