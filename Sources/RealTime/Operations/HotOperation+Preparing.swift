package import NormalizedCache
package import ResultModel

extension HotOperation {
  /// How it is timed: operations in a block, blocks in a turn, the first of which only warms up.
  var timing: (block: Int, blocks: Int) {
    switch self {
    case .event, .storeEvent: (100, 20)
    case .batch: (1, 7)
    case .decoding: (20, 10)
    case .read: (20, 20)
    case .write: (10, 15)
    }
  }

  /// Makes everything that so many of it need, so that doing them is nothing else.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - clock: the cache's; one that stands still where each run must do the same to the instruction.
  /// - Returns: the operation, ready to be done so often. What it counts is a checksum: work whose result is
  ///   not used may be left out by a compiler.
  /// - Throws: `CachePolicyError`, or what an encoder throws.
  package func prepared(
    _ count: Int, clock: any CacheClock
  ) async throws -> any Subject<Int> {
    var subject: any Subject<Int> =
      switch self {
      case .event: try await EventOperation(entities: 1, clock: clock)
      case .batch: try await EventOperation(entities: 1_000, clock: clock)
      case .storeEvent: try StoreEventOperation()
      case .decoding: DecodingOperation()
      case .read: try await ReadOperation(clock: clock)
      case .write: try await WriteOperation(clock: clock)
      }
    try await subject.prepare(count)
    return subject
  }
}
