import CacheModel
package import Metrics
import NormalizedCache

/// What an operation costs beside little and beside much that has nothing to do with it.
///
/// The store is driven directly where it can be: an actor hop costs the same whatever is cached, and would
/// only dilute the ratio.
package struct CostRun: Sendable {
  package var queries = Range(few: 100, many: 100_000)
  package var entities = Range(few: 1_000, many: 1_000_000)
  package var observers = Range(few: 1, many: 10_000)
  /// Updates in a block, and blocks of each cache.
  package var blockLength = 100
  package var blocks = 100
  /// Entities in a cache that is full of retained ones, insertions into it, and how often the same
  /// insertions are timed.
  package var retained = 10_000
  package var insertions = 10_000
  package var repetitions = 5
  private let seed: UInt64
  private let progress: @Sendable (String) -> Void

  package struct Range: Sendable {
    package var few: Int
    package var many: Int

    package init(few: Int, many: Int) {
      self.few = few
      self.many = many
    }
  }

  package init(seed: UInt64, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.seed = seed
    self.progress = progress
  }

  /// One row for each thing that might make an operation dearer.
  ///
  /// - Throws: `CompositionError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    let turns = InterleavedBlocks(blockLength: blockLength, blocks: blocks)
    func row(_ metric: Metric, _ name: String, _ value: (ratio: Double?, samples: Int)) -> ResultRow
    {
      ResultRow(
        scenario: scenario, policy: "", seed: seed, class: ResultClass(name), metric: metric,
        value: value.ratio.map { .real($0) }, sampleCount: value.samples)
    }

    progress("update cost: beside \(queries.few) and beside \(queries.many) unrelated queries")
    let besideQueries = await turns.ratio(
      of: try QueryCountSubject(seed: seed, unrelatedQueries: queries.many),
      to: try QueryCountSubject(seed: seed, unrelatedQueries: queries.few))
    progress("update cost: among \(entities.few) and among \(entities.many) entities")
    let amongEntities = await turns.ratio(
      of: try EntityCountSubject(seed: seed, entities: entities.many),
      to: try EntityCountSubject(seed: seed, entities: entities.few))
    progress("update cost: beside \(observers.few) and beside \(observers.many) other observers")
    let besideObservers = await turns.ratio(
      of: try await ObserverCountSubject(seed: seed, observers: observers.many),
      to: try await ObserverCountSubject(seed: seed, observers: observers.few))
    progress("insertion stall: \(insertions) insertions beyond \(retained) retained entities")
    let stall = InsertionStall(retained: retained, insertions: insertions, seed: seed)
    let unlisted = try stall.measure(areListed: false, repetitions: repetitions)
    let listed = try stall.measure(areListed: true, repetitions: repetitions)
    return [
      row(.updateCostRatio, "queries", besideQueries),
      row(.updateCostRatio, "entities", amongEntities),
      row(.updateCostRatio, "observers", besideObservers),
      row(.insertionStallRatio, "unlisted", unlisted),
      row(.insertionStallRatio, "listed", listed),
    ]
  }
}
