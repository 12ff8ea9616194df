package import Workloads

/// Reads of an app's log that contradict what the log says of their queries: a cache that believes it
/// patches such lists wrong, or refetches them for nothing, and its figures are not those of the app.
package struct LogContradictions: Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// Rows stand in another order than the query's.
    case order
    /// The same of a query whose order is as it was shown: two results cannot be of one order.
    case shownOrder
    /// A row is shown that does not belong in the query.
    case foreignRow
    /// A row is not shown that an event has brought, and that belongs in the query.
    case missingRow
    /// A row bears a version that no line tells of.
    case unknownState
    /// More rows are shown than the query's limit.
    case tooLong
  }

  /// What was found of one kind.
  package struct Finding: Hashable, Sendable {
    package let kind: Kind
    /// How many reads are concerned.
    package fileprivate(set) var reads: Int
    /// The first of them in time.
    package let first: ObservedRead
    /// The queries concerned, in the order of their first such read.
    package fileprivate(set) var queries: [Int]
  }

  private struct Place: Hashable {
    var kind: Kind
    var query: Int
  }

  /// How many reads have a result.
  package let reads: Int
  /// In the order of the kinds.
  package let findings: [Finding]

  /// Looks through all results of a log in order of time; where the truth is known there are none.
  package init(in workload: Workload) {
    guard workload.truth == .observed else {
      reads = 0
      findings = []
      return
    }
    let recorded = RecordedRead.all(of: workload)
    var search = ContradictionSearch(workload, recorded)
    var found: [Finding] = []
    var isKnown: Set<Place> = []
    for read in recorded {
      for kind in search.contradictions(of: read) {
        let index = found.firstIndex { $0.kind == kind } ?? found.count
        if index == found.count {
          found.append(Finding(kind: kind, reads: 0, first: read.name, queries: []))
        }
        found[index].reads += 1
        if isKnown.insert(Place(kind: kind, query: read.query)).inserted {
          found[index].queries.append(read.query)
        }
      }
    }
    reads = recorded.count
    findings = Kind.allCases.compactMap { kind in found.first { $0.kind == kind } }
  }
}
