import CacheModel
import NormalizedCache
import Processes
package import ResultModel

/// Measures the cache's own share of an update: from a decoded event to the last of ten observers.
///
/// Events arrive back to back, with all data in the processor's caches, and paced, where a thread wakes for
/// each event, as in an app. The cache alternates with a control, which has the same path to an actor and the
/// same ten calls. Comparisons with alternatives measure the same (``AlternativeSubject``), but this runs in
/// one process, and long enough for p99.9.
package struct EventCostRun: Sendable {
  /// The number of events of each subject that warm up.
  var warmUp = 200
  /// The number of back-to-back blocks of each subject, and of events in a block.
  var blocks = 110
  var blockLength = 100
  /// The number of paced events of each subject, and the rate of both together, per second.
  var paced = 10_500
  var rate = 2_700.0
  private let workload: AlternativeWorkload
  private let seed: UInt64
  private let driver = Driver()
  private let progress: @Sendable (String) -> Void

  package init(
    seed: UInt64, workload: AlternativeWorkload = AlternativeWorkload.all[0],
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.seed = seed
    self.workload = workload
    self.progress = progress
  }

  /// Shortens the run to a second or two, enough for p99.
  package mutating func makeQuick() { (blocks, paced) = (12, 1_200) }

  /// Returns one distribution for each subject and pace; `/hot` means back to back.
  ///
  /// - Throws: `CachePolicyError`, ``AlternativeRunError``, or `CancellationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    progress("event cost: \(paced) events of the cache and of a control, \(Int(rate)) per second")
    var subjects = [
      try await subject(Alternatives.all[0]), try await subject(Alternatives.control),
    ]
    for index in subjects.indices {
      _ = try await driver.backToBack(warmUp, block: warmUp, &subjects[index])
    }
    let backToBack = try await driver.inTurns(
      Turns(rounds: blocks), block: blockLength, &subjects)
    let arrivals = ArrivalProcess(
      count: paced * subjects.count, perSecond: rate,
      random: RandomSource(seed: seed).substream("event-cost"))
    let openLoop = try await driver.openLoop(&subjects, at: arrivals.offsets)
    for index in subjects.indices { try await subjects[index].close() }
    let rows = RunRows(scenario: scenario, seed: seed)
    let name = ResultClass(workload.name)
    return [Metric.eventCost, .controlEventCost].enumerated().flatMap { index, metric in
      rows.distribution(openLoop[index].map(\.handover.nanoseconds), metric, class: name)
        + rows.distribution(
          backToBack[index].map(\.nanoseconds), metric, class: name.at(.backToBack))
    }
  }

  private func subject(_ alternative: Alternative) async throws -> any Subject<Handover> {
    let library = workload.library(seed: seed)
    let script = AlternativeScript(
      library: library, workload: workload,
      random: RandomSource(seed: seed).substream("event-cost-events"))
    // Neither subject writes files.
    return try await driver.subject(
      try await alternative.make(library, ""), under: script, of: workload)
  }
}
