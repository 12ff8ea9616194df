import CacheModel
import NormalizedCache

/// A value of eight bytes that points to nothing: what a cache of references to an app's own store
/// would hold.
struct EntityHandle: Hashable, Sendable, BitwiseCopyable {
  var directory: UInt32
  var revision: UInt32
}

/// How a cache keeps handles: any number of queries list each directory.
struct HandleSchema: CacheSchema {
  static let file = ResourceType(rawValue: 1)
  static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))

  /// The query that lists a directory; queries that differ in `copy` list the same.
  static func listing(of directory: UInt32, copy: UInt32 = 0) -> QueryKey {
    QueryKey(
      library: library, method: QueryMethod(rawValue: 1),
      input: withUnsafeBytes(of: (directory.bigEndian, copy.bigEndian)) { Array($0) })
  }

  static func entityKey(ofFile file: Int) -> EntityKey {
    // Spread, as identifiers are.
    let mixed = UInt64(file) &* 0xd1b5_4a32_d192_ed03
    return EntityKey(type: Self.file, id: UniqueID(high: mixed, low: UInt64(file)))
  }

  func plan(for query: QueryKey) -> QueryPlan<UInt32> {
    let directory = query.input.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return QueryPlan(
      predicate: directory, scope: scope(of: directory), limit: nil, resourceTypes: [Self.file])
  }

  private func scope(of directory: UInt32) -> QueryScope {
    QueryScope(kind: 1, id: UniqueID(high: 0, low: UInt64(directory)))
  }

  func forEachScope(of payload: EntityHandle, key: EntityKey, _ body: (QueryScope) -> Void) {
    body(scope(of: payload.directory))
  }

  func weight(of payload: EntityHandle) -> Int { 8 }
  func areEqual(_ lhs: EntityHandle, _ rhs: EntityHandle) -> Bool { lhs == rhs }

  func belongs(_ payload: EntityHandle, key: EntityKey, in predicate: UInt32) -> MatchResult {
    payload.directory == predicate ? .member : .notMember
  }

  func precedes(
    _ lhs: EntityHandle, key lhsKey: EntityKey, _ rhs: EntityHandle, key rhsKey: EntityKey,
    in predicate: UInt32
  ) -> Bool { lhsKey < rhsKey }

  func location(of payload: EntityHandle) -> UniqueID? { nil }
}
