import Analysis
import CacheSimulation
import Metrics
import Reporting
import Workloads

/// Comparisons of whole sessions, with all that is said of their verdicts.
struct Verdicts {
  var verdicts: [ScenarioVerdict] = []
  /// One row each: of several seeds the mean.
  var means: [ResultRow] = []
  /// The rows of every seed, where there were several.
  var eachSeed: [ResultRow] = []
  var work = SimulatedWork()

  /// What goes into a table of values: seed by seed, then what stands for all of them.
  var rows: [ResultRow] { eachSeed + means }

  /// Runs comparisons, and the same under other circumstances where that is asked.
  ///
  /// - Parameters:
  ///   - comparisons: the questions.
  ///   - isRobustnessAsked: whether each verdict is put to other circumstances.
  ///   - isOutOfTime: whether nothing more should be begun; every first look is made.
  ///   - progress: is told how far it has come.
  /// - Returns: the verdicts and rows, in the order of the comparisons.
  /// - Throws: what a simulation throws, such as a promise that a cache broke.
  static func run(
    _ comparisons: [Comparison], isRobustnessAsked: Bool,
    isOutOfTime: @escaping @Sendable () -> Bool = { false }, progress: Progress
  ) async throws -> Verdicts {
    let results = try await ComparisonRunner.run(comparisons, isOutOfTime: isOutOfTime) {
      progress.report($0.text)
    }
    var alternatives = results.map { _ in [Robustness.Alternative]() }
    if isRobustnessAsked {
      let memory = try await memoryOfLRU(in: results, progress)
      let questions = zip(results, memory).enumerated().flatMap { index, pair in
        Circumstance.all(for: pair.0.comparison, memory: pair.1)
          .map { (index: index, circumstance: $0) }
      }
      let answered = try await ComparisonRunner.run(
        questions.map(\.circumstance.comparison), isOutOfTime: isOutOfTime
      ) { progress.report("elsewhere, \($0.text)") }
      for (question, answer) in zip(questions, answered) {
        guard let verdict = answer.verdict else { continue }
        alternatives[question.index].append(
          Robustness.Alternative(label: question.circumstance.label, verdict: verdict))
      }
    }
    var all = Verdicts()
    for (result, others) in zip(results, alternatives) {
      all.add(result, alternatives: result.otherVerdicts + others)
    }
    return all
  }

  /// What `lru` takes at each scenario's limit, in bytes: from its rows, or where it does not compete
  /// from a run of its own.
  private static func memoryOfLRU(
    in results: [ComparisonResult], _ progress: Progress
  ) async throws -> [Int?] {
    func peak(_ rows: [ResultRow]) -> Int? {
      rows.first {
        $0.policy == "lru" && $0.metric == "predicted_bytes"
          && $0.statistic == Statistic.peak.rawValue
      }?.value.map { Int($0.asDouble) }
    }
    var memory = results.map { peak($0.means) }
    let missing = memory.indices.filter { memory[$0] == nil }
    let runs = try missing.map { index in
      var run = results[index].comparison
      run.contestants = try run.session.file.contestants(["lru"])
      run.plan = .fixed(run.plan.looks.first ?? 1)
      run.otherRules = []
      return run
    }
    let answers = try await ComparisonRunner.run(
      runs, report: { progress.report("lru, \($0.text)") })
    for (index, answer) in zip(missing, answers) { memory[index] = peak(answer.means) }
    return memory
  }

  private mutating func add(
    _ result: ComparisonResult, alternatives: [Robustness.Alternative]
  ) {
    let session = result.comparison.session
    means += result.means + (session.outcomes?.rows ?? [])
    if let gap = RecordedGap(scenario: session.name, rows: means) {
      Console.note("\(session.name): \(gap.text)")
    }
    eachSeed += result.eachSeed
    work += result.work
    let name = session.name
    let knowsTruth = !result.isOfAppLog
    verdicts.append(
      ScenarioVerdict(
        scenario: name, verdict: knowsTruth ? result.verdict : nil, margin: result.margin,
        robustness: result.verdict.flatMap {
          alternatives.isEmpty ? nil : Robustness(of: $0, under: alternatives)
        },
        mostHits: knowsTruth
          ? nil
          : MostHits(
            among: result.comparison.contenders, scenario: name, rows: result.means)))
  }
}

extension ComparisonResult {
  /// Whether an app recorded what it saw, so that nobody knows what was fresh.
  fileprivate var isOfAppLog: Bool {
    comparison.session.recordedTruth == .observed
  }
}

extension ComparisonRunner.Status {
  fileprivate var text: String {
    let runs = "\(runs) of \(runsWanted) runs"
    return comparisons > 1 ? "\(runs), \(decided) of \(comparisons) decided" : runs
  }
}
