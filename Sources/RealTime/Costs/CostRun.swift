import CacheModel
import Processes
package import ResultModel

/// What an operation costs beside little and beside much that has nothing to do with it.
///
/// The store is driven directly where it can be: an actor hop costs the same whatever is cached, and would
/// only dilute the ratio.
package struct CostRun: Sendable {
  typealias Range = (few: Int, many: Int)
  var queries: Range = (few: 100, many: 100_000)
  var entities: Range = (few: 1_000, many: 1_000_000)
  var observers: Range = (few: 1, many: 10_000)
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

  package init(seed: UInt64, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.seed = seed
    self.progress = progress
  }

  /// One row for each thing that might make an operation dearer.
  ///
  /// - Throws: `CachePolicyError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    let rows = RunRows(scenario: scenario, seed: seed)
    func row(_ metric: Metric, _ name: String, _ value: (ratio: Double?, samples: Int)) -> ResultRow
    {
      rows.row(
        metric, value.ratio.map { .real($0) }, class: ResultClass(name), count: value.samples)
    }
    progress("update cost: beside \(queries.few) and beside \(queries.many) unrelated queries")
    let besideQueries = try await ratio(.queries, queries)
    progress("update cost: among \(entities.few) and among \(entities.many) entities")
    let amongEntities = try await ratio(.entities, entities)
    progress("update cost: beside \(observers.few) and beside \(observers.many) other observers")
    let besideObservers = try await ratio(.observers, observers)
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

  /// What an event costs at the larger of two sizes of an axis, over what it costs at the smaller, and
  /// how many events of each stand behind it.
  private func ratio(
    _ axis: ScaleAxis, _ range: Range
  ) async throws -> (ratio: Double?, samples: Int) {
    var subjects: [any Subject<Handover>] = [
      try await axis.subject(ofSize: range.few, seed: seed),
      try await axis.subject(ofSize: range.many, seed: seed),
    ]
    let driver = Driver()
    for index in subjects.indices {
      _ = try await driver.backToBack(
        blockLength, block: blockLength, atOnce: blockLength, &subjects[index])
    }
    let times = try await driver.inTurns(
      Turns(rounds: blocks), block: blockLength, atOnce: blockLength, &subjects
    ).map { $0.map(\.nanoseconds) }
    return (
      SampleSummary.ratio(ofMedians: times[1], times[0]), times[1].count * blockLength
    )
  }
}

extension SampleSummary {
  /// The median of one over that of the other; `nil` where either has none, or is zero.
  static func ratio(ofMedians numerator: [Int64], _ denominator: [Int64]) -> Double? {
    guard let above = Self(numerator).quantile(.p50),
      let below = Self(denominator).quantile(.p50), below > 0
    else { return nil }
    return Double(above) / Double(below)
  }
}
