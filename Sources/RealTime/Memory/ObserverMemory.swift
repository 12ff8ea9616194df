import CacheModel
import Containers
import EvictionPolicies
import NormalizedCache
package import ResultModel

/// Measures the memory of an observer: the slope between N and 2N callbacks on the real actor.
package struct ObserverMemory: Sendable {
  package let queries: Int
  package let observersPerQuery: Int

  private static let composition = CachePolicy.unlimited

  package init(queries: Int = 100, observersPerQuery: Int = 100) {
    self.queries = queries
    self.observersPerQuery = observersPerQuery
  }

  /// - Throws: the counter's error, or `CachePolicyError`.
  package func run(counter: some AllocationCounter & Sendable) async throws -> [ResultRow] {
    _ = try await bytes(observersPerQuery: 1, counter)
    let once = try await bytes(observersPerQuery: observersPerQuery, counter)
    let twice = try await bytes(observersPerQuery: observersPerQuery * 2, counter)
    let added = queries * observersPerQuery
    let prediction = MemoryPrediction(
      predicted: predictedBytes(observersPerQuery: observersPerQuery), measured: once,
      entries: added)
    let rows = RunRows(scenario: "memory", policy: "lru", seed: 1, samples: added)
    return [
      rows.row(
        .bytesPerObserver, .real(Double(twice - once) / Double(added)), class: "observers")
    ]
      + prediction.rows(scenario: "memory", policy: "lru", seed: 1, class: "observers")
  }

  /// Returns the model's figure for the callbacks and their own objects.
  private func predictedBytes(observersPerQuery: Int) -> Int {
    var counts = StoreCounts()
    counts.observedQueries = queries
    counts.observers = queries * observersPerQuery
    let model = MemoryModel(of: Self.composition, schema: MeasurementSchema.self)
    // An object: a header of two words, and a flag.
    let view = AllocationSize.rounded(2 * MemoryLayout<Int>.stride + 1)
    return model.observers(counts) + counts.observers * view
  }

  private func bytes(
    observersPerQuery: Int, _ counter: some AllocationCounter & Sendable
  ) async throws -> Int {
    let library = FileLibrary(directories: queries, filesPerDirectory: 1, seed: 1)
    let cache = try NormalizedCache(
      composition: Self.composition,
      schema: MeasurementSchema(), source: LibraryServer(library: library))
    for key in library.queryKeys { _ = try await cache.query(key) }
    // Meanwhile the tasks of complete fetches are released.
    try await Task.sleep(for: .milliseconds(50))
    return try await observe(library, observersPerQuery, in: cache, counter)
  }

  /// Observes on the actor, so that nothing else runs between the two readings.
  private func observe(
    _ library: FileLibrary, _ observersPerQuery: Int,
    in cache: isolated NormalizedCache<MeasurementSchema>,
    _ counter: some AllocationCounter & Sendable
  ) throws -> Int {
    let before = try counter.read()
    for key in library.queryKeys {
      // Each retains an object, as an app's callback retains its view.
      for _ in 0..<observersPerQuery {
        let view = ObservedView()
        _ = cache.observe(key) { _, _ in view.isOutdated = true }
      }
    }
    return try counter.read().allocated - before.allocated
  }
}

/// The object of a callback; used on the cache's actor only.
private final class ObservedView: @unchecked Sendable {
  var isOutdated = false
}

/// Measures the memory of each eviction order per entity, in isolation, with the calls of a cache.
///
/// The order is filled, and then all its entities are replaced, so that its history of evicted entities is
/// included.
package struct OrderMemory: Sendable {
  package let entities: Int

  package init(entities: Int = 10_000) {
    self.entities = entities
  }

  /// Returns one row for each available order.
  ///
  /// - Throws: the counter's error.
  package func run(counter: some AllocationCounter) throws -> [ResultRow] {
    try EvictionPolicies.forCaches.map { descriptor in
      _ = try bytes(of: descriptor, entities: 16, counter)
      let once = try bytes(of: descriptor, entities: entities, counter)
      let twice = try bytes(of: descriptor, entities: entities * 2, counter)
      return ResultRow(
        scenario: "memory", policy: descriptor.name, seed: 1, metric: .orderBytesPerEntity,
        value: .real((Double(twice) - Double(once)) / Double(entities)), sampleCount: entities)
    }
  }

  private func bytes(
    of descriptor: EvictionPolicyDescriptor, entities: Int, _ counter: some AllocationCounter
  ) throws -> Int {
    let before = try counter.read()
    let order = descriptor.makeOrder(entities, RandomSource(seed: 1))
    fill(order, entities)
    let filled = try withExtendedLifetime(order) { try counter.read() }
    return filled.allocated - before.allocated
  }

  private func fill(_ order: any EvictionOrder, _ entities: Int) {
    var random = RandomSource(seed: 1)
    for slot in 0..<entities {
      order.reserve(slots: slot + 1)
      insert(Slot(slot), random.next(), order)
    }
    for _ in 0..<entities {
      guard let victim = order.nextVictim() else { return }
      order.didRemove(victim, cause: .evicted)
      insert(victim, random.next(), order)
    }
  }

  private func insert(_ slot: Slot, _ fingerprint: UInt64, _ order: any EvictionOrder) {
    let entry = EvictionEntry(slot: slot, fingerprint: fingerprint)
    order.willInsert(entry)
    order.didInsert(entry)
  }
}
