import Analysis
import CommandLineInterface
import Processes
import RealTime
import Reporting
import ResultModel

/// Runs all alternatives with all workloads alternately, so that a pause of the machine affects all equally.
struct AlternativeComparison: Sendable {
  let alternatives: [Alternative]
  let workloads: [AlternativeWorkload]
  let seed: UInt64
  var rounds = 7
  var events = 1_500
  var rate = 1_000.0

  static let scenario = AlternativeTable.scenario

  /// Creates a comparison; the cache under test is added if it is missing.
  init(alternatives: [Alternative], workloads: [AlternativeWorkload], seed: UInt64) {
    let own = Alternatives.all[0]
    self.alternatives =
      alternatives.contains { $0.name == own.name } ? alternatives : [own] + alternatives
    self.workloads = workloads
    self.seed = seed
  }

  /// - Throws: ``CommandFailure`` if an alternative gives a wrong result.
  func run(progress: ProgressLine) async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    for workload in workloads {
      rows += Self.rows(of: try await results(of: workload, progress: progress), seed: seed)
    }
    return rows
  }

  private func results(
    of workload: AlternativeWorkload, progress: ProgressLine
  ) async throws -> [AlternativeResult] {
    let contenders = alternatives + [Alternatives.control]
    var results = contenders.map { alternative in
      AlternativeResult(
        design: alternative.name, isControl: alternative.name == Alternatives.control.name,
        workload: workload.name)
    }
    let samples = try await Turns(rounds: rounds).take(contenders) { alternative, round in
      try Task.checkCancellation()
      progress.report("\(workload.name), round \(round + 1) of \(rounds): \(alternative.name)")
      return try await Self.round([
        "run-alternative", alternative.name, "--workload", workload.name, "--round", "\(round)",
        "--events", "\(events)", "--rate", "\(rate)", "--seed", "\(seed)",
      ])
    }
    for index in results.indices { results[index].rounds = samples[index] }
    return results
  }

  /// Runs one round of an alternative in a separate process.
  ///
  /// - Throws: ``CommandFailure`` with the process's output if it fails, or if its samples are incomplete.
  private static func round(_ arguments: [String]) async throws -> AlternativeSamples {
    // A time limit above that of any round: its phases have their own.
    var run = ProcessRun(arguments: arguments, deadline: .seconds(300))
    // Time for removing its files after its input has ended.
    run.patience = .seconds(2)
    do {
      return try AlternativeSamples(text: try await run.output())
    } catch let error where error is ProcessRunError || error is ChildTextError {
      throw CommandFailure(.data, "\(arguments.joined(separator: " ")): \(error)")
    }
  }

  /// Returns the distributions of all, and the ratios of the alternatives to the first.
  static func rows(of results: [AlternativeResult], seed: UInt64) -> [ResultRow] {
    guard let own = results.first else { return [] }
    let ratios = results.dropFirst().filter { !$0.isControl }.flatMap { alternative in
      AlternativeResult.Stage.all.flatMap { stage -> [ResultRow] in
        guard let ratio = stage.metric.alternativeRatio else { return [] }
        return ratio.statistics.map { statistic in
          let pairs = zip(
            alternative.values(of: stage, statistic), own.values(of: stage, statistic))
          let quotients = pairs.map { alternative, own -> Double? in
            guard let alternative, let own, own > 0 else { return nil }
            return alternative / own
          }
          // A round without the statistic means that the rounds are too short.
          let known = quotients.compactMap { $0 }
          let summary = known.count == quotients.count ? MedianInterval(known) : nil
          return ResultRow(
            scenario: scenario, policy: alternative.design, seed: seed,
            class: alternative.class(of: stage),
            metric: ratio, statistic: statistic,
            value: summary.map { .real($0.median) }, sampleCount: known.count,
            confidenceInterval: summary?.interval)
        }
      }
    }
    return results.flatMap { $0.rows(scenario: scenario, seed: seed) } + ratios
  }

  /// The targets of the cache under test relative to the alternatives in this run, back to back.
  var targets: [Target] {
    [("literal-actor", 50.0), ("grdb-value-observation", 10.0)].compactMap { alternative, limit in
      guard alternatives.contains(where: { $0.name == alternative }),
        workloads.contains(where: { $0.name == "single" })
      else { return nil }
      return Target(
        scenario: Self.scenario, metric: .eventCostRatio, statistic: .p50, class: "single/hot",
        comparison: .atLeast, limit: limit, policies: [alternative])
    }
  }
}

/// The alternatives in a report: the first workload of `alternatives`, with fewer events.
///
/// Six rounds are sufficient for medians and their intervals; there are too few samples for p99.9.
struct AlternativeMeasurement {
  var rows: [ResultRow]
  var targets: [Target]

  /// - Returns: `nil`, with a warning, if an alternative fails: the rest of the report is still useful.
  static func forBench(
    seed: UInt64, progress: ProgressLine
  ) async throws -> AlternativeMeasurement? {
    var comparison = AlternativeComparison(
      alternatives: Alternatives.all, workloads: Array(AlternativeWorkload.all.prefix(1)),
      seed: seed)
    comparison.rounds = 6
    comparison.events = 60
    do {
      let rows = try await TerminationSignals.cancelling { [comparison] in
        try await comparison.run(progress: progress)
      }
      return AlternativeMeasurement(rows: rows, targets: comparison.targets)
    } catch let failure as CommandFailure {
      progress.end()
      Console.note("warning: the alternatives are not measured: \(failure.message)")
      return nil
    }
  }
}
