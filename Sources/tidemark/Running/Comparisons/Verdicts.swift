import Analysis
import CacheSimulation
import CommandLineInterface
import Reporting
import ResultModel
import Synchronization
import Workloads

/// Comparisons of whole inputs, with all that is said of their verdicts.
struct Verdicts {
  var verdicts: [ScenarioVerdict] = []
  /// One row each: of several seeds the mean.
  var means: [ResultRow] = []
  /// What came of the comparisons themselves.
  private(set) var results: [ComparisonResult] = []
  var work = SimulatedWork()
  /// What each part of each scenario took.
  var parts: [SimulatedPart] = []
  /// What one choice instead of `lru`'s is worth, where that was asked.
  var axes: [AxisEffect] = []
  /// What every policy did within so much memory, scenario by scenario.
  var memoryLevels: [MemoryLevel] = []
  /// How little memory is enough, by the scenario's name.
  var knees: [String: String] = [:]
  /// The first seed of each policy in parts of time.
  var timelines: [TimelineLine] = []
  /// The circumstances for which there was no time.
  var unasked = 0
  /// Whose runs ended early, or cannot be relied on, and why.
  var failures: [ContenderFailure] = []
  /// What caches said of their names and versions, by the contender's name.
  var claims: [String: String] = [:]

  /// What goes into a table of values: seed by seed, then what stands for all of them.
  var rows: [ResultRow] { results.flatMap(\.eachSeed) + means }

  /// The rows of every seed, also where there was one: of what can be measured, and relied on.
  var everySeed: [ResultRow] {
    results.flatMap { result in
      result.rowsOfEverySeed.filter { row in
        // What the recording of an app does not tell is not measured, whatever is run.
        guard row.value != nil || !row.metric.needsGroundTruth || !result.isOfAppLog else {
          return false
        }
        return result.comparison.contenders.first { $0.name == row.policy }?.cache
          .isMeasured(row.metric) ?? false
      }
    }
  }

  /// What targets are judged on: the rows of every seed that every policy ran.
  var judged: [ResultRow] { results.flatMap(\.rowsOfCommonSeeds) }

  /// Runs comparisons, and the same under other circumstances where that is asked.
  ///
  /// - Parameters:
  ///   - comparisons: the questions.
  ///   - isRobustnessAsked: whether each verdict is put to other circumstances.
  ///   - areLevelsAsked: whether it is asked what policies do within less memory and more.
  ///   - areAxesAsked: whether `lru` is run with one choice changed at a time.
  ///   - isOutOfTime: whether nothing more should be begun; what all policies run is run.
  ///   - progress: is told how far it has come.
  ///   - decided: is told of each verdict with the rows of its table, in the order of the comparisons, as
  ///     soon as it and those before it are there; what it is elsewhere, it does not know yet.
  /// - Returns: the verdicts and rows, in the order of the comparisons.
  /// - Throws: what a simulation throws, such as a promise that a cache broke.
  static func run(
    _ comparisons: [Comparison], isRobustnessAsked: Bool, areLevelsAsked: Bool = false,
    areAxesAsked: Bool = false,
    isOutOfTime: @escaping @Sendable () -> Bool = { false }, progress: ProgressLine,
    decided: @escaping @Sendable (ScenarioVerdict, [ResultRow]) -> Void = { _, _ in }
  ) async throws -> Verdicts {
    defer { TerminationSignals.note { $0.results = [:] } }
    let inOrder = InOrder { (result: ComparisonResult) in
      decided(result.scenarioVerdict(alternatives: []), result.rowsOfTable)
    }
    let results = try await ComparisonRunner.run(
      comparisons, isOutOfTime: isOutOfTime, report: { progress.report($0.text) },
      decided: { inOrder.take($1, at: $0) },
      stepped: { place, verdict in
        let line = BenchSummary.line(
          of: ScenarioVerdict(scenario: comparisons[place].input.name, verdict: verdict),
          style: Console.style)
        TerminationSignals.note { $0.results[place] = line }
      })
    var all = Verdicts()
    all.parts = results.map { SimulatedPart("verdict", of: $0) }
    var alternatives = results.map { _ in [Robustness.Alternative]() }
    if isRobustnessAsked || areLevelsAsked {
      let memory = try await memoryOfLRU(in: results, progress)
      let circumstances = zip(results, memory).map {
        Circumstance.all(
          for: $0, memory: $1, areVerdictsAsked: isRobustnessAsked, areLevelsAsked: areLevelsAsked)
      }
      // One of each scenario, then the next of each: time that runs out leaves none without any.
      let questions = (0..<(circumstances.map(\.count).max() ?? 0)).flatMap { place in
        circumstances.indices.compactMap { index in
          circumstances[index].dropFirst(place).first.map { (index: index, circumstance: $0) }
        }
      }
      let answered = try await ComparisonRunner.run(
        questions.map(\.circumstance.comparison), isOutOfTime: isOutOfTime,
        report: { progress.report("elsewhere, \($0.text)") })
      var curves = results.map { areLevelsAsked ? MemoryCurve(of: $0) : nil }
      for (question, answer) in zip(questions, answered) {
        all.add(answer.failures)
        if let memory = question.circumstance.memory {
          let named = results[question.index].named.flatMap { answer.runs(of: $0) }
          curves[question.index]?.add(named?.sample, memory: memory)
        }
        all.parts.append(SimulatedPart(question.circumstance.label, of: answer))
        all.memoryLevels += levels(of: question.circumstance, answer)
        guard question.circumstance.isVerdictAsked else {
          if answer.runs.allSatisfy({ $0.seedCount == 0 }), !answer.runs.isEmpty {
            all.unasked += 1
          }
          continue
        }
        guard let verdict = answer.verdict(beside: results[question.index]), verdict.seeds > 0
        else {
          all.unasked += 1
          continue
        }
        alternatives[question.index].append(
          Robustness.Alternative(
            label: question.circumstance.label, verdict: verdict,
            exceededLimits: answer.exceededLimits))
      }
      for (result, curve) in zip(results, curves) {
        all.knees[result.comparison.input.name] = curve?.kneeText.flatMap { text in
          result.named.map { "\($0): \(text)" }
        }
      }
    }
    if areAxesAsked {
      let (effects, answers) = try await AxisChange.effects(
        after: results, isOutOfTime: isOutOfTime, progress: progress)
      all.axes = effects
      all.parts += answers.map { SimulatedPart("one axis at a time", of: $0) }
    }
    for (result, others) in zip(results, alternatives) {
      all.add(result, alternatives: result.otherVerdicts + others)
    }
    return all
  }

  private static func levels(
    of circumstance: Circumstance, _ answer: ComparisonResult
  ) -> [MemoryLevel] {
    guard let memory = circumstance.memory, memory < Circumstance.unlimited else { return [] }
    return answer.means.map { row in
      var row = row
      // Of one seed it is a point without an interval.
      if row.seed != nil { row.sampleCount = 1 }
      row.seed = nil
      return MemoryLevel(limit: memory, row: row)
    }
  }

  /// What `lru` takes at each scenario's limit, in bytes: from its rows, or where it does not compete
  /// from a run of its own.
  private static func memoryOfLRU(
    in results: [ComparisonResult], _ progress: ProgressLine
  ) async throws -> [Int?] {
    func peak(_ rows: [ResultRow]) -> Int? {
      rows.first {
        $0.policy == "lru" && $0.metric == .predictedBytes
          && $0.statistic == .peak
      }?.value.map { Int($0.asDouble) }
    }
    var memory = results.map { peak($0.means) }
    let missing = memory.indices.filter { memory[$0] == nil }
    let runs = try missing.map { index in
      var run = results[index].comparison
      run.contenders = try run.input.file.contenders(["lru"])
      run.known = [:]
      run.plan = run.plan.firstLook
      run.otherRules = []
      return run
    }
    let answers = try await ComparisonRunner.run(
      runs, report: { progress.report("lru, \($0.text)") })
    for (index, answer) in zip(missing, answers) { memory[index] = peak(answer.means) }
    return memory
  }

  /// Each once: who fails here mostly fails elsewhere for the same reason.
  private mutating func add(_ more: [ContenderFailure]) {
    failures += more.filter { !failures.contains($0) }
  }

  private mutating func add(
    _ result: ComparisonResult, alternatives: [Robustness.Alternative]
  ) {
    means += result.rowsOfTable
    if let gap = RecordedGap(scenario: result.comparison.input.name, rows: means) {
      Console.note("\(result.comparison.input.name): \(gap.text)")
    }
    results.append(result)
    work += result.work
    add(result.failures)
    claims.merge(result.claims) { first, _ in first }
    timelines += result.timelineLines
    verdicts.append(result.scenarioVerdict(alternatives: alternatives))
  }
}

/// Hands results on in their order, whatever the order in which they come.
private final class InOrder<Result: Sendable>: Sendable {
  private let state = Mutex((next: 0, early: [Int: Result]()))
  private let handOn: @Sendable (Result) -> Void

  init(handOn: @escaping @Sendable (Result) -> Void) { self.handOn = handOn }

  func take(_ result: Result, at place: Int) {
    state.withLock { state in
      state.early[place] = result
      while let result = state.early.removeValue(forKey: state.next) {
        state.next += 1
        handOn(result)
      }
    }
  }
}

extension ComparisonResult {
  /// The rows of every seed, also where there was one.
  fileprivate var rowsOfEverySeed: [ResultRow] {
    let rows = eachSeed
    return rows.isEmpty ? means : rows
  }

  /// Those of the seeds that all ran.
  fileprivate var rowsOfCommonSeeds: [ResultRow] {
    let seeds = UInt64(comparison.plan.common)
    return rowsOfEverySeed.filter { $0.seed.map { $0 &- comparison.firstSeed < seeds } ?? true }
  }

  /// What the table of its scenario shows.
  fileprivate var rowsOfTable: [ResultRow] {
    means
      + comparison.input.claimed(comparison.input.recorded?.outcomeRows ?? [])
  }

  fileprivate func scenarioVerdict(alternatives: [Robustness.Alternative]) -> ScenarioVerdict {
    let name = comparison.input.name
    let recorded = recordedVerdict
    let alternatives = recorded == nil ? alternatives : Array(alternatives.dropFirst())
    let verdict = recorded?.best.isEmpty == true ? nil : verdict
    return ScenarioVerdict(
      scenario: name, verdict: verdict, margin: margin,
      robustness: verdict.flatMap {
        alternatives.isEmpty ? nil : Robustness(of: $0, under: alternatives)
      },
      recorded: recorded, exceededLimits: exceededLimits)
  }

  /// What stands beside the verdict of another comparison of its: of a recording, what contradicts that at either
  /// end of what it leaves open.
  fileprivate func verdict(beside first: ComparisonResult) -> ShipVerdict? {
    guard let verdict, let asked = first.verdict, isOfAppLog else { return verdict }
    let others = otherVerdicts.map(\.verdict).map { Robustness.Alternative(label: "", verdict: $0) }
    return Robustness(of: asked, under: others).disagreeing.first?.verdict ?? verdict
  }

  /// What both ends say of the recording of an app; the other rule is that of the other end.
  var recordedVerdict: RecordedVerdict? {
    guard isOfAppLog, let verdict, let other = otherVerdicts.first?.verdict else { return nil }
    return RecordedVerdict(
      ifStale: verdict, ifFresh: other, scenario: comparison.input.name, rows: means)
  }

  /// The timelines in the form of their file.
  fileprivate var timelineLines: [TimelineLine] {
    // What cannot be seen is no zero.
    let keepers = Set(
      comparison.contenders.filter(\.cache.isInsideKnown).map(\.name))
    return timelines.flatMap { policy, timeline in
      timeline.parts.enumerated().map { index, part in
        TimelineLine(
          scenario: comparison.input.name, policy: policy, seed: comparison.firstSeed,
          begin: Int64(index) * timeline.partNanoseconds,
          end: Int64(index + 1) * timeline.partNanoseconds, reads: part.reads,
          freshHits: part.freshHits, staleHits: part.staleHits, failures: part.failures,
          entities: keepers.contains(policy) ? part.entities : nil)
      }
    }
  }

  /// Whether an app recorded what it saw, so what was fresh is not known.
  var isOfAppLog: Bool {
    comparison.input.recordedTruth == .observed
  }
}

extension ComparisonRunner.Status {
  /// How far it has come, and how long what is known to be left takes.
  var text: String {
    let made =
      "\(runs) of \(runsWanted) runs"
      + (comparisons > 1 ? ", \(decided) of \(comparisons) decided" : "")
    guard let timeLeft, timeLeft >= .seconds(1) else { return made }
    return "\(made), \(timeLeft.components.seconds) s left"
  }
}
