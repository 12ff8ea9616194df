import CacheModel
import NormalizedCache
import Processes
package import ResultModel

/// The cache's own share of an update: from a decoded event to the last of ten observers.
///
/// Back to back, where everything that an event needs lies in the processor's caches, and paced, where a
/// thread wakes, decodes one event and hands it over, as in an app. Three subjects take turns, each
/// with a script of its own: the store alone, the cache (its actor included), and a control that makes
/// the same path to an actor and the same ten calls.
package struct EventCostRun: Sendable {
  /// Events that are not counted, of each subject.
  package var warmUp = 200
  /// Blocks of events back to back of each subject, and events in a block.
  package var blocks = 110
  package var blockLength = 100
  /// Paced events of each subject, and per second of all three together.
  package var paced = 10_500
  package var rate = 4_000.0
  /// The same for batches of 1,000, except that their blocks hold one.
  package var batchWarmUp = 2
  package var batches = 40
  package var pacedBatches = 40
  package var batchRate = 45.0
  private let library: FileLibrary
  private let seed: UInt64
  private let driver = Driver()
  private let progress: @Sendable (String) -> Void

  package init(
    seed: UInt64, library: FileLibrary? = nil,
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.seed = seed
    self.library = library ?? .standard(seed: seed)
    self.progress = progress
  }

  /// A second or two: p99 of single events, the longest of a few batches.
  package mutating func makeQuick() {
    blocks = 12
    paced = 1_200
    batches = 3
    pacedBatches = 3
  }

  /// How the events of one class come.
  private struct Schedule {
    var eventClass: EventClass
    var warmUp: Int
    var blocks: Int
    var blockLength: Int
    var paced: Int
    var rate: Double
  }

  /// Times of each subject, in nanoseconds.
  private struct Times {
    var backToBack: [Int64]
    var paced: [Int64]
  }

  /// One distribution for each subject and pace.
  ///
  /// The class `single` is the cache, paced; `/store` stands for the store alone, `/hot` for back to
  /// back.
  ///
  /// - Throws: `CompositionError`, what the decoder throws, or `CancellationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    progress("event cost: \(paced) single events of each subject, \(Int(rate)) per second")
    let single = try await rows(
      scenario,
      Schedule(
        eventClass: .single, warmUp: warmUp, blocks: blocks, blockLength: blockLength,
        paced: paced, rate: rate))
    progress("event cost: \(batches + pacedBatches) batches of 1,000 of each subject")
    let batch = try await rows(
      scenario,
      Schedule(
        eventClass: .batch1000, warmUp: batchWarmUp, blocks: batches, blockLength: 1,
        paced: pacedBatches, rate: batchRate))
    return single + batch
  }

  private func rows(_ scenario: String, _ schedule: Schedule) async throws -> [ResultRow] {
    let script = try EventScript(
      library: library, eventClass: schedule.eventClass,
      count: schedule.warmUp + schedule.blocks * schedule.blockLength + schedule.paced)
    let times = try await measure(
      [
        try await CacheEvents(library: library, script: script, clock: driver.clock),
        try StoreEvents(library: library, script: script, clock: driver.clock),
        ControlEvents(script: script, clock: driver.clock),
      ], schedule)
    let name = ResultClass(schedule.eventClass.rawValue)
    let rows = LatencyRows(scenario: scenario, policy: "", seed: seed)
    let subjects = [
      (Metric.eventCost, name), (.eventCost, name.by(.store)), (.controlEventCost, name),
    ]
    return zip(subjects, times).flatMap { subject, times in
      let (metric, name) = subject
      return rows.distribution(times.paced, metric, class: name)
        + rows.distribution(times.backToBack, metric, class: name.at(.backToBack))
    }
  }

  private func measure(
    _ subjects: [any Subject<Handover>], _ schedule: Schedule
  ) async throws -> [Times] {
    var subjects = subjects
    for index in subjects.indices {
      _ = try await driver.backToBack(
        schedule.warmUp, block: schedule.warmUp, &subjects[index])
    }
    let backToBack = try await driver.inTurns(
      Turns(rounds: schedule.blocks), block: schedule.blockLength, &subjects)
    let arrivals = ArrivalProcess(
      count: schedule.paced * subjects.count, perSecond: schedule.rate,
      random: RandomSource(seed: seed).substream("event-cost"))
    let paced = try await driver.openLoop(
      &subjects, at: arrivals.offsets, isPreparedOnWaking: true)
    return zip(backToBack, paced).map { backToBack, paced in
      Times(
        backToBack: backToBack.map(\.nanoseconds), paced: paced.map(\.handover.nanoseconds))
    }
  }
}
