import Analysis
import CacheSimulation
import CommandLineInterface
import Reporting
import ResultModel
import Synchronization
import Workloads

/// Comparisons of whole inputs, with everything reported about their verdicts.
struct Verdicts {
  var verdicts: [ScenarioVerdict] = []
  /// One row each; for several seeds, the mean.
  var means: [ResultRow] = []
  private(set) var results: [ComparisonResult] = []
  var work = SimulatedWork()
  var parts: [SimulatedPart] = []
  /// The effect of each choice instead of `lru`'s, if requested.
  var axes: [AxisEffect] = []
  /// The results of every policy at memory levels, by scenario.
  var memoryLevels: [MemoryLevel] = []
  /// The smallest sufficient memory, by scenario.
  var knees: [String: String] = [:]
  /// The counts over time of each policy's first seed.
  var timelines: [TimelineLine] = []
  /// The number of checks omitted for lack of time.
  var unasked = 0
  /// Contenders whose runs ended early, or are not reproducible.
  var failures: [ContenderFailure] = []
  /// The names and versions reported by caches, by contender.
  var claims: [String: String] = [:]

  /// The rows of a table of values: by seed, then over all seeds.
  var rows: [ResultRow] { results.flatMap(\.eachSeed) + means }

  /// The rows of every seed, even of a single one, that are measurable and reliable.
  var everySeed: [ResultRow] {
    results.flatMap { result in
      result.rowsOfEverySeed.filter { row in
        // Values that an app's recording does not contain are not measured.
        guard row.value != nil || !row.metric.needsGroundTruth || !result.isOfAppLog else {
          return false
        }
        return result.comparison.contenders.first { $0.name == row.policy }?.cache
          .isMeasured(row.metric) ?? false
      }
    }
  }

  /// The rows for judging targets: those of the seeds that every policy ran.
  var judged: [ResultRow] { results.flatMap(\.rowsOfCommonSeeds) }

  /// Runs comparisons, and their checks under other conditions if requested.
  ///
  /// - Parameters:
  ///   - comparisons: the comparisons.
  ///   - isRobustnessAsked: whether each verdict is checked under other conditions.
  ///   - areLevelsAsked: whether policies are run at several memory levels.
  ///   - areAxesAsked: whether `lru` is run with one choice changed at a time.
  ///   - isOutOfTime: whether no further work should begin; the first looks are run in any case.
  ///   - progress: receives the progress.
  ///   - decided: receives each verdict with the rows of its table, in the order of the comparisons, as soon
  ///     as it and earlier ones are known; its robustness is unknown at that time.
  /// - Returns: the verdicts and rows, in the order of the comparisons.
  /// - Throws: the error of a simulation, such as a divergence.
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
      // One check of each scenario, then the next of each: if time runs out, none is without any.
      let questions = (0..<(circumstances.map(\.count).max() ?? 0)).flatMap { place in
        circumstances.indices.compactMap { index in
          circumstances[index].dropFirst(place).first.map { (index: index, circumstance: $0) }
        }
      }
      let answered = try await ComparisonRunner.run(
        questions.map(\.circumstance.comparison), isOutOfTime: isOutOfTime,
        report: { progress.report("robustness checks, \($0.text)") })
      var curves = results.map { areLevelsAsked ? MemoryCurve(of: $0) : nil }
      var rivals = curves
      for (question, answer) in zip(questions, answered) {
        all.add(answer.failures)
        if let memory = question.circumstance.memory {
          let named = results[question.index].named.flatMap { answer.runs(of: $0) }
          curves[question.index]?.add(named?.sample, memory: memory)
          rivals[question.index]?.add(answer.runs(of: "lru")?.sample, memory: memory)
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
      for (result, (curve, rival)) in zip(results, zip(curves, rivals)) {
        let text = curve?.kneeText(besides: rival.map { (name: "lru", curve: $0) })
        all.knees[result.comparison.input.name] = text.flatMap { text in
          result.named.map { "\($0) with a limit on memory alone: \(text)" }
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
      // With one seed it is a point without an interval.
      if row.seed != nil { row.sampleCount = 1 }
      row.seed = nil
      return MemoryLevel(limit: memory, row: row)
    }
  }

  /// Returns the memory of `lru` at each scenario's limit, in bytes: from its rows, or if it does not compete
  /// from a separate run.
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

  /// Every read of each comparison's first seed, under the policy that is named or leads and under the one that it
  /// is compared with, else `lru`; none where there are not two.
  func readsOfFirstSeed() throws -> [ReadLine] {
    try results.flatMap { result -> [ReadLine] in
      guard let verdict = result.verdict else { return [] }
      var leader: String?
      if case .notDecided(let indecision) = verdict.outcome {
        leader = indecision.leader ?? indecision.left.first
      }
      var runnerUp: String?
      if case .ship(let recommendation) = verdict.outcome { runnerUp = recommendation.runnerUp }
      let wanted =
        [verdict.named.first, leader, runnerUp, "lru"].compactMap(\.self)
        + verdict.standings.map(\.contender)
      let comparison = result.comparison
      let two = wanted.distinct(\.self).compactMap { name in
        comparison.contenders.first { $0.name == name }
      }.prefix(2)
      guard two.count == 2,
        let simulation = comparison.input.simulations(seed: comparison.firstSeed).first
      else { return [] }
      return try two.flatMap { contender in
        try (comparison.input.readsIfAny(of: contender, on: simulation) ?? [])
          .map { ReadLine($0, of: contender.name, in: simulation) }
      }
    }
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

/// Passes on results in their order, whatever the order of arrival.
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
  /// The rows of every seed, even of a single one.
  fileprivate var rowsOfEverySeed: [ResultRow] {
    let rows = eachSeed
    return rows.isEmpty ? means : rows
  }

  /// The rows of the seeds that all policies ran.
  fileprivate var rowsOfCommonSeeds: [ResultRow] {
    // The seed of a single recording is that of its own draw, and says nothing of this run.
    if comparison.input.recorded?.users.count == 1 {
      return rowsOfEverySeed.map { row in
        var row = row
        row.seed = nil
        return row
      }
    }
    let seeds = UInt64(comparison.plan.common)
    return rowsOfEverySeed.filter { $0.seed.map { $0 &- comparison.firstSeed < seeds } ?? true }
  }

  /// The rows of its scenario's table.
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

  /// Returns the verdict to compare with another one; for a recording, the case that contradicts it.
  fileprivate func verdict(beside first: ComparisonResult) -> ShipVerdict? {
    guard let verdict, let asked = first.verdict, isOfAppLog else { return verdict }
    let others = otherVerdicts.map(\.verdict).map { Robustness.Alternative(label: "", verdict: $0) }
    return Robustness(of: asked, under: others).disagreeing.first?.verdict ?? verdict
  }

  /// The verdict in both cases of an app's unknown hits; the further goal is that of the other case.
  var recordedVerdict: RecordedVerdict? {
    guard isOfAppLog, let verdict, let other = otherVerdicts.first?.verdict else { return nil }
    return RecordedVerdict(
      ifStale: verdict, ifFresh: other, scenario: comparison.input.name, rows: means,
      obstacle: comparison.input.recordedReads?.obstacle)
  }

  fileprivate var timelineLines: [TimelineLine] {
    // A value that cannot be observed is not zero.
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

  /// Whether it is an app's recording with unknown freshness.
  var isOfAppLog: Bool {
    comparison.input.recordedTruth == .observed
  }
}

extension ComparisonRunner.Status {
  /// The progress, and the estimated remaining time.
  var text: String {
    let made =
      "\(runs) of \(runsWanted) runs"
      + (comparisons > 1 ? ", \(decided) of \(comparisons) decided" : "")
    guard let timeLeft, timeLeft >= .seconds(1) else { return made }
    return "\(made), \(timeLeft.components.seconds) s left"
  }
}
