import CacheModel
import Containers
import NormalizedCache
package import ResultModel
import SyncStack

/// Where the bytes of an entity go: one row for each part of the cache, beside the whole.
///
/// Each part is a slope between N and 2N entities. A part that can be switched off is what the slope
/// grows by when it is on, each from the same cache without any of them; the rest is what the tables
/// count themselves. The whole is measured with all of them on at once, so that parts which add up to
/// it are a finding and not arithmetic; `parts_error_share` is what is left.
package struct MemoryParts: Sendable {
  package let entities: Int
  package let queries: Int
  /// Whether values have texts of their own, as an app decodes them, or share those of one.
  ///
  /// It is the whole, and the row of the payload, that this is about: the other parts are the same.
  package let areDecoded: Bool

  /// - Precondition: `entities` is a positive multiple of `queries`.
  package init(entities: Int, queries: Int = 100, areDecoded: Bool) {
    precondition(
      queries > 0 && entities > 0 && entities % queries == 0,
      "\(entities) entities do not fill \(queries) equal queries")
    self.entities = entities
    self.queries = queries
    self.areDecoded = areDecoded
  }

  /// Builds and drops each population in turn.
  ///
  /// - Throws: what the counter throws, or `CompositionError`.
  package func run(counter: some AllocationCounter) throws -> [ResultRow] {
    // The first use of a part fills caches that stay; they are no entity's.
    _ = try cost(
      of: queries, [.order, .listing, .persistence], areDecoded: areDecoded, counter)
    let once = try costs(of: entities, counter)
    let twice = try costs(of: entities * 2, counter)
    let slopes = twice.less(once)
    func perEntity(_ bytes: Int) -> Double { Double(bytes) / Double(entities) }
    let bytes = slopes.parts.mapValues(perEntity)
    let sum = MemoryPart.allCases.reduce(0) { $0 + (bytes[$1] ?? 0) }
    let whole = perEntity(slopes.whole)
    return MemoryPart.allCases.map { row(.partBytesPerEntity, $0.rawValue, bytes[$0]) }
      + [
        row(.partBytesPerEntity, "total", whole),
        row(.partsErrorShare, "total", abs(sum / whole - 1)),
        row(.bytesPerQuery, "total", try bytesPerQuery(counter)),
        row(.activeRatio, "total", once.filled.activeRatio),
      ]
  }

  private func row(_ metric: Metric, _ part: String, _ value: Double?) -> ResultRow {
    ResultRow(
      scenario: "memory", policy: "lru", seed: 1, class: ResultClass(part, size: entities),
      metric: metric,
      value: value.map { .real($0) }, sampleCount: entities)
  }

  /// What one more query costs where the same entities are listed: the slope between as many queries
  /// and twice as many.
  private func bytesPerQuery(_ counter: some AllocationCounter) throws -> Double? {
    guard entities.isMultiple(of: queries * 2) else { return nil }
    let few = try cost(of: entities, [.order, .listing], counter)
    let many = try cost(of: entities, inQueries: queries * 2, [.order, .listing], counter)
    return Double(many.bytes - few.bytes) / Double(queries)
  }

  private func costs(of count: Int, _ counter: some AllocationCounter) throws -> PartCosts {
    let base = try cost(of: count, [], counter)
    func added(_ part: PartsPopulation.Switches) throws -> Int {
      try cost(of: count, part, counter).bytes - base.bytes
    }
    let tables = base.footprint
    let listed = try cost(of: count, .listing, counter)
    let reverseIndex = listed.footprint.reverseIndex
    let all = try cost(
      of: count, [.order, .listing, .persistence], areDecoded: areDecoded, counter)
    return PartCosts(
      parts: [
        .payload: try payloadBytes(of: count, counter),
        .payloadPlace: tables.valuePlaces
          - AllocationSize.array(capacity: count, stride: MemoryLayout<FilePayload>.stride),
        .key: tables.key, .slot: tables.slot, .policy: try added(.order),
        .reverseIndex: reverseIndex,
        .queryIndex: listed.bytes - base.bytes - reverseIndex,
        .persistence: try added(.persistence),
      ],
      whole: all.bytes, filled: all.filled)
  }

  private func payloadBytes(of count: Int, _ counter: some AllocationCounter) throws -> Int {
    let population = PartsPopulation(entities: count, queries: queries, areDecoded: areDecoded)
    defer { withExtendedLifetime(population) {} }
    let before = try counter.read()
    var values: ContiguousArray<FilePayload> = []
    values.reserveCapacity(count)
    for file in 0..<count { values.append(try population.payload(ofFile: file)) }
    let filled = try withExtendedLifetime(values) { try counter.read() }
    return filled.allocated - before.allocated
  }

  private func cost(
    of count: Int, inQueries directories: Int? = nil, _ switches: PartsPopulation.Switches,
    areDecoded: Bool = false, _ counter: some AllocationCounter
  ) throws -> StoreCost {
    let population = PartsPopulation(
      entities: count, queries: directories ?? queries, areDecoded: areDecoded)
    // Alive until the last reading, so that its own memory is in both.
    defer { withExtendedLifetime(population) {} }
    let before = try counter.read()
    let store = try population.makeStore(switches)
    let filled = try counter.read()
    return StoreCost(
      bytes: filled.allocated - before.allocated, filled: filled, footprint: store.footprint)
  }

  private struct StoreCost {
    var bytes: Int
    var filled: AllocationReading
    var footprint: StoreFootprint
  }

  private struct PartCosts {
    var parts: [MemoryPart: Int]
    var whole: Int
    var filled: AllocationReading

    func less(_ other: PartCosts) -> PartCosts {
      var rest = self
      for part in MemoryPart.allCases {
        rest.parts[part] = (parts[part] ?? 0) - (other.parts[part] ?? 0)
      }
      rest.whole -= other.whole
      return rest
    }
  }
}

extension AllocationReading {
  package var activeRatio: Double? {
    allocated > 0 ? Double(active) / Double(allocated) : nil
  }
}
