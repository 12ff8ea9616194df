import CacheModel
import NormalizedCache

/// A value of any size in one piece of memory.
struct Block: Sendable {
  var bytes: [UInt8]

  init(byteCount: Int) {
    bytes = [UInt8](repeating: 0, count: byteCount)
  }
}

/// How a cache keeps blocks: no query lists any.
struct BlockSchema: CacheSchema {
  static let block = ResourceType(rawValue: 1)

  func plan(for query: QueryKey) -> QueryPlan<Never?> {
    QueryPlan(
      predicate: nil, scope: QueryScope(kind: 0), limit: nil, resourceTypes: [],
      isCacheable: false)
  }

  func forEachScope(of payload: Block, key: EntityKey, _ body: (QueryScope) -> Void) {}
  func weight(of payload: Block) -> Int { payload.bytes.count }
  func areEqual(_ lhs: Block, _ rhs: Block) -> Bool { lhs.bytes == rhs.bytes }
  func belongs(_ payload: Block, key: EntityKey, in predicate: Never?) -> Belonging { .notMember }

  func precedes(
    _ lhs: Block, key lhsKey: EntityKey, _ rhs: Block, key rhsKey: EntityKey,
    in predicate: Never?
  ) -> Bool { lhsKey < rhsKey }

  func location(of payload: Block) -> UniqueID? { nil }
}
