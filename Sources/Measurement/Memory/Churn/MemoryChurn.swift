import CacheModel
package import Metrics
import NormalizedCache

/// What a full cache takes after everything in it was replaced many times over: values of many sizes
/// come and go, so that the allocator's pages fill with holes.
package struct MemoryChurn: Sendable {
  package let capacity: Int
  package let replacements: Int
  /// Bytes of a value, drawn evenly.
  private static let sizes = 100..<1_000

  package init(capacity: Int = 100_000, replacements: Int = 10_000_000) {
    precondition(capacity > 0 && replacements >= 0, "nothing is replaced in an empty cache")
    self.capacity = capacity
    self.replacements = replacements
  }

  /// Rows for the cache when it has just been filled (`filled`) and after the last replacement
  /// (`churned`), and the most that was ever read between.
  ///
  /// - Throws: what the counter throws, or `CompositionError`.
  package func run(counter: some AllocationCounter) throws -> [ResultRow] {
    let opened = try counter.read()
    var store = try CacheStore(
      composition: PolicyComposition(
        evictionOrder: "lru", capacity: Capacity(entities: capacity), retention: .none,
        freshness: .neverExpires, maximumQueries: nil),
      schema: BlockSchema())
    var stream = BlockStream(sizes: Self.sizes)
    for _ in 0..<capacity { stream.insertNext(into: &store) }
    let filled = try counter.read()
    var highest = filled
    var remaining = replacements
    while remaining > 0 {
      let batch = min(remaining, capacity)
      for _ in 0..<batch { stream.insertNext(into: &store) }
      remaining -= batch
      let reading = try counter.read()
      highest.allocated = max(highest.allocated, reading.allocated)
      highest.active = max(highest.active, reading.active)
    }
    let churned = try counter.read()
    precondition(
      store.residentEntities == capacity && store.statistics.evictions == replacements,
      "the cache was not churned as it should have been")
    return rows("filled", filled, since: opened) + rows("churned", churned, since: opened)
      + [
        row(.highWaterBytes, "allocated", .integer(Int64(highest.allocated - opened.allocated))),
        row(.highWaterBytes, "active", .integer(Int64(highest.active - opened.active))),
      ]
  }

  private func rows(
    _ name: String, _ reading: AllocationReading, since opened: AllocationReading
  ) -> [ResultRow] {
    [
      row(.cacheTotalBytes, name, .integer(Int64(reading.allocated - opened.allocated))),
      row(.activeRatio, name, reading.activeRatio.map { .real($0) }),
    ]
  }

  private func row(_ metric: Metric, _ name: String, _ value: MetricValue?) -> ResultRow {
    ResultRow(
      scenario: "memory-churn", policy: "lru", seed: 1, class: "\(capacity)/\(name)",
      metric: metric, value: value, sampleCount: replacements)
  }
}

/// Blocks that nobody has seen before, each newer than the last.
private struct BlockStream {
  let sizes: Range<Int>
  private var random = RandomSource(seed: 1)
  private var count = 0
  private var actions: [CacheAction] = []

  init(sizes: Range<Int>) {
    self.sizes = sizes
  }

  mutating func insertNext(into store: inout CacheStore<BlockSchema>) {
    count += 1
    let key = EntityKey(
      type: BlockSchema.block, id: UniqueID(high: random.next(), low: UInt64(count)))
    let entity = VersionedEntity(
      key: key, version: Version(clock: UInt64(count), device: 1),
      payload: Block(byteCount: sizes.lowerBound + random.below(sizes.count)))
    store.receive(EventEnvelope(place: nil, event: .changed(entity)), at: .zero)
    store.takeActions(into: &actions)
  }
}
