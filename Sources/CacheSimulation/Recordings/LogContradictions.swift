import CacheModel
import NormalizedCacheCore
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
  }

  /// What was found of one kind.
  package struct Finding: Hashable, Sendable {
    package let kind: Kind
    /// How many reads are concerned.
    package fileprivate(set) var reads: Int
    /// When the first of them was made.
    package let first: Instant
    /// The names of the model's queries that are concerned, in the order of their first such read.
    package fileprivate(set) var queries: [String]
  }

  /// How many reads have a result.
  package let reads: Int
  /// In the order of the kinds.
  package let findings: [Finding]

  /// Looks through all results of a log in order of time; where the truth is known there are none.
  ///
  /// It asks the cache's own schema: what matters is what a cache will believe.
  package init(in workload: Workload) {
    let recorded = workload.truth == .observed ? RecordedRead.all(of: workload) : []
    var found: [Finding] = []
    let schema = recorded.isEmpty ? nil : SimulationSchema(of: workload)
    let predicates = workload.queries.map { query in
      schema?.plan(
        for: QueryKey(
          library: workload.library, method: query.kind.method, input: QueryInput.encode(query)))
    }
    for read in recorded {
      // What is not kept is not patched either.
      guard let schema, let plan = predicates[read.query], plan.isCacheable else { continue }
      for kind in Self.kinds(of: read.rows, plan.predicate, schema) {
        let name = workload.model.shape(of: workload.queries[read.query].kind)?.name ?? ""
        let index = found.firstIndex { $0.kind == kind } ?? found.count
        if index == found.count {
          found.append(Finding(kind: kind, reads: 0, first: read.at, queries: []))
        }
        found[index].reads += 1
        if !found[index].queries.contains(name) { found[index].queries.append(name) }
      }
    }
    reads = recorded.count
    findings = Kind.allCases.compactMap { kind in found.first { $0.kind == kind } }
  }

  private static func kinds(
    of rows: [Handle], _ predicate: QueryPredicate, _ schema: SimulationSchema
  ) -> [Kind] {
    func key(_ row: Handle) -> EntityKey { schema.objects[Int(row.object)] }
    let isInOrder = zip(rows, rows.dropFirst()).allSatisfy { row, next in
      schema.precedes(row, key: key(row), next, key: key(next), in: predicate)
    }
    let isForeign = rows.contains {
      schema.belongs($0, key: key($0), in: predicate) == .notMember
    }
    return (isInOrder ? [] : [predicate.isAsShown ? .shownOrder : .order])
      + (isForeign ? [.foreignRow] : [])
  }
}
