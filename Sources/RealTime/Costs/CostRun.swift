import CacheModel
import NormalizedCache
import Processes
package import ResultModel

/// Measures the cost of an operation with little and with much unrelated state.
///
/// It calls the store directly where possible: an actor hop has a constant cost, which would only dilute the
/// ratio.
package struct CostRun: Sendable {
  typealias Range = (few: Int, many: Int)
  var queries: Range = (few: 100, many: 100_000)
  var entities: Range = (few: 1_000, many: 1_000_000)
  var observers: Range = (few: 1, many: 10_000)
  /// The number of updates in a block, and of blocks for each cache.
  package var blockLength = 100
  package var blocks = 100
  /// The number of retained entities in a full cache, of insertions into it, and of repetitions of the same
  /// insertions.
  package var retained = 10_000
  package var insertions = 10_000
  package var repetitions = 5
  private let seed: UInt64
  private let progress: @Sendable (String) -> Void

  package init(seed: UInt64, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.seed = seed
    self.progress = progress
  }

  /// Returns one row for each factor that may increase an operation's cost.
  ///
  /// - Throws: `CachePolicyError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    let rows = RunRows(scenario: scenario, seed: seed)
    func row(_ metric: Metric, _ name: String, _ value: (ratio: Double?, samples: Int)) -> ResultRow
    {
      rows.row(
        metric, value.ratio.map { .real($0) }, class: ResultClass(name), count: value.samples)
    }
    progress("update cost: with \(queries.few) and with \(queries.many) unrelated queries")
    let besideQueries = try await ratio(.queries, queries)
    progress("update cost: among \(entities.few) and among \(entities.many) entities")
    let amongEntities = try await ratio(.entities, entities)
    progress("update cost: with \(observers.few) and with \(observers.many) other observers")
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

  /// Returns the ratio of an event's costs at the larger and the smaller value of a factor, and the number of
  /// timed events of each.
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
  /// Returns the ratio of two medians; `nil` if either is missing or zero.
  static func ratio(ofMedians numerator: [Int64], _ denominator: [Int64]) -> Double? {
    guard let above = Self(numerator).quantile(.p50),
      let below = Self(denominator).quantile(.p50), below > 0
    else { return nil }
    return Double(above) / Double(below)
  }
}

/// Measures the longest single stall of the store while events insert entities at the limit and everything is
/// retained.
///
/// To exclude pauses of the machine, which happen at random, the same insertions into a new cache are
/// repeated; the shortest time of each counts.
struct InsertionStall {
  /// The limit, and the number of entities that observed listings retain initially.
  var retained: Int
  var insertions: Int
  var seed: UInt64

  /// Measures the ratio of the longest and the median insertion.
  ///
  /// - Parameters:
  ///   - areListed: whether inserted entities are part of observed listings, and thereby retained as well.
  ///   - repetitions: the number of times the same insertions are timed.
  /// - Returns: the ratio, and the number of its insertions.
  /// - Throws: `CachePolicyError`.
  func measure(areListed: Bool, repetitions: Int) throws -> (ratio: Double?, samples: Int) {
    var shortest = [Int64](repeating: .max, count: insertions)
    for _ in 0..<repetitions {
      for (index, time) in try times(areListed: areListed).enumerated() {
        shortest[index] = min(shortest[index], time)
      }
    }
    guard repetitions > 0,
      let ratio = SampleSummary(shortest).quantile(.max).flatMap({ longest in
        SampleSummary(shortest).quantile(.p50).map { Double(longest) / Double(max($0, 1)) }
      })
    else { return (nil, 0) }
    return (ratio, insertions)
  }

  private func times(areListed: Bool) throws -> [Int64] {
    let rows = 100
    let clock = ContinuousCacheClock()
    // The files of a directory have consecutive numbers, so the second half of each is inserted.
    let directories = retained / rows
    let library = FileLibrary(
      directories: directories, filesPerDirectory: rows + insertions / directories, seed: seed)
    let strangers = FileLibrary(
      directories: 1, filesPerDirectory: insertions, seed: ~seed)
    var store = try CacheStore(
      composition: CachePolicy(
        evictionOrder: "lru", capacity: Capacity(entities: retained), retention: .observed,
        freshness: .neverExpires, maximumQueries: nil),
      schema: MeasurementSchema())
    for directory in 0..<directories {
      let key = library.queryKey(ofDirectory: directory)
      store.addObserver(of: key, at: .zero)
      var response = library.response(toDirectory: directory)
      response.entities.removeLast(response.entities.count - rows)
      store.fill(key, with: response)
    }
    precondition(store.residentEntities == retained, "the cache is not full")
    return (0..<insertions).map { index in
      let file =
        index % directories * library.filesPerDirectory + rows + index / directories
      var entity = library.entity(file: file, revision: 1)
      if !areListed { entity = strangers.entity(file: index, revision: 1) }
      let event = EventEnvelope(
        place: library.place(sequence: index + 1), event: .changed(entity))
      let before = clock.now
      store.receive(event, at: .zero)
      let time = clock.now.nanoseconds - before.nanoseconds
      _ = store.takeActions()
      return time
    }
  }
}
