package import CacheModel
import FoundationEssentials
package import NormalizedCache

/// How a cache keeps files: one query lists the files of one directory by name.
package struct MeasurementSchema: CacheSchema {
  package typealias Payload = FilePayload
  package typealias Change = FileChange

  /// A listing's input, parsed.
  package enum Predicate: Sendable {
    case directory(UniqueID)
    /// An input that is no identifier lists nothing.
    case nothing
  }

  private static let directoryScope: UInt16 = 1

  package init() {}

  package func plan(for query: QueryKey) -> QueryPlan<Predicate> {
    guard query.input.count == 16 else {
      return QueryPlan(
        predicate: .nothing, scope: QueryScope(kind: 0), limit: nil, resourceTypes: [],
        isCacheable: false)
    }
    let directory = UniqueID(bigEndian: query.input)
    return QueryPlan(
      predicate: .directory(directory),
      scope: QueryScope(kind: Self.directoryScope, id: directory), limit: nil,
      resourceTypes: [FileLibrary.fileType])
  }

  package func forEachScope(
    of payload: FilePayload, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    body(QueryScope(kind: Self.directoryScope, id: UniqueID(payload.directoryID)))
  }

  /// The size of the file in JSON, where all but the name, the path and the tags are as long as in a
  /// made library.
  package func weight(of payload: FilePayload) -> Int {
    732 + payload.name.utf8.count + payload.path.path.utf8.count + payload.tagIDs.count * 39
  }

  package func areEqual(_ lhs: FilePayload, _ rhs: FilePayload) -> Bool { lhs == rhs }

  package func belongs(
    _ payload: FilePayload, key: EntityKey, in predicate: Predicate
  ) -> MatchResult {
    switch predicate {
    case .directory(let directory):
      UniqueID(payload.directoryID) == directory ? .member : .notMember
    case .nothing: .notMember
    }
  }

  package func precedes(
    _ lhs: FilePayload, key lhsKey: EntityKey, _ rhs: FilePayload, key rhsKey: EntityKey,
    in predicate: Predicate
  ) -> Bool {
    lhs.name != rhs.name ? lhs.name < rhs.name : lhsKey < rhsKey
  }

  package func location(of payload: FilePayload) -> UniqueID? { UniqueID(payload.locationID) }

  package func applying(_ change: FileChange, to payload: FilePayload) -> FilePayload {
    change.applied(to: payload)
  }
}

extension UniqueID {
  /// - Precondition: sixteen bytes.
  fileprivate init(bigEndian bytes: some Collection<UInt8>) {
    precondition(bytes.count == 16, "an identifier has sixteen bytes")
    func word(_ part: some Collection<UInt8>) -> UInt64 {
      part.reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(high: word(bytes.prefix(8)), low: word(bytes.dropFirst(8)))
  }
}
