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
  /// How the events of one class come.
  struct Schedule {
    var eventClass: EventClass
    /// Events that are not counted, of each subject.
    var warmUp: Int
    /// Blocks of events back to back of each subject, and events in a block.
    var blocks: Int
    var blockLength: Int
    /// Paced events of each subject, and per second of all three together.
    var paced: Int
    var rate: Double
  }

  var single = Schedule(
    eventClass: .single, warmUp: 200, blocks: 110, blockLength: 100, paced: 10_500, rate: 4_000)
  var batch = Schedule(
    eventClass: .batch1000, warmUp: 2, blocks: 40, blockLength: 1, paced: 40, rate: 45)
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
    (single.blocks, single.paced) = (12, 1_200)
    (batch.blocks, batch.paced) = (3, 3)
  }

  /// One distribution for each subject and pace.
  ///
  /// The class `single` is the cache, paced; `/store` stands for the store alone, `/hot` for back to
  /// back.
  ///
  /// - Throws: `CachePolicyError`, what the decoder throws, or `CancellationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    progress(
      "event cost: \(single.paced) single events of each subject, \(Int(single.rate)) per second")
    let singles = try await rows(scenario, single)
    progress("event cost: \(batch.blocks + batch.paced) batches of 1,000 of each subject")
    return singles + (try await rows(scenario, batch))
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
    let rows = RunRows(scenario: scenario, seed: seed)
    let subjects = [
      (Metric.eventCost, name), (.eventCost, name.by(.store)), (.controlEventCost, name),
    ]
    return zip(subjects, times).flatMap { subject, times in
      let (metric, name) = subject
      return rows.distribution(times.paced, metric, class: name)
        + rows.distribution(times.backToBack, metric, class: name.at(.backToBack))
    }
  }

  /// Times of each subject, in nanoseconds.
  private func measure(
    _ subjects: [any Subject<Handover>], _ schedule: Schedule
  ) async throws -> [(backToBack: [Int64], paced: [Int64])] {
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
      (backToBack.map(\.nanoseconds), paced.map(\.handover.nanoseconds))
    }
  }
}
