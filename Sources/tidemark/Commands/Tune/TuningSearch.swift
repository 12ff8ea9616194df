import Analysis
import CacheModel
import CommandLineInterface
import ResultModel
import Workloads

struct TuningSearch {
  let study: TuningTask
  let rule: Goal
  let isRace: Bool
  let runner: StudyRunner

  /// The offset of fresh seeds from those of a search, of which there are at most a thousand.
  private static let freshOffset: UInt64 = 1_000_000

  /// The rule of the search: of what the logs of an app leave open nothing is taken to be fresh.
  private var searched: Goal {
    study.inputs.allSatisfy { $0.recordedTruth == .observed }
      ? rule.countingUnknownHits(asFresh: false) : rule
  }

  /// The same number of trials for a rival, of the fields that leave it the idea that it is.
  func of(rival: String) throws -> TuningSearch {
    let own = try SearchPlan(
      study.plan.method, study.plan.parameters.compactMap(\.ofRival), trials: study.plan.trials,
      steps: study.plan.steps, seed: study.plan.seed)
    return TuningSearch(
      study: try TuningTask(
        inputs: study.inputs, plan: own, policies: [rival], seed: study.seed,
        seeds: study.seeds, parameters: study.parameters),
      rule: rule, isRace: isRace, runner: runner)
  }

  func run() async throws -> TuningOutcome {
    guard study.hasTotal else { return try await runApart() }
    var tried = TuningStudy(
      runner: runner, settings: study.settings, firstSeeds: study.firstSeeds)
    let verdict: ShipVerdict
    var early: [ContenderFailure] = []
    if study.plan.method == .halving {
      verdict = try await halve(&tried, failures: &early)
    } else {
      verdict = try await tried.select(
        searched, among: tried.distinct, plan: looks(study.inputs[0]))
    }
    var outcome = TuningOutcome(
      search: self, studies: [tried],
      line: BestLine(
        verdict: verdict, trials: study.plan.count * policyCount, left: tried.left))
    outcome.failures = early + outcome.failures
    return outcome
  }

  private var policyCount: Int { study.settings[0].distinct(\.policy).count }

  private func runApart() async throws -> TuningOutcome {
    guard study.plan.method != .halving else {
      throw CommandFailure(
        .input,
        "--method halving: the scenarios compare different policies; name those of all "
          + "with --policies")
    }
    var studies: [TuningStudy] = []
    for index in study.inputs.indices {
      var tried = TuningStudy(
        runner: StudyRunner(
          inputs: [study.inputs[index]], journal: runner.journal, progress: runner.progress),
        settings: [study.settings[index]], firstSeeds: [study.firstSeeds[index]])
      _ = try await tried.select(searched, among: tried.distinct, plan: looks(study.inputs[index]))
      studies.append(tried)
    }
    return TuningOutcome(search: self, studies: studies, line: nil)
  }

  /// Returns the looks of the selection: early and frequent ones for a race.
  private func looks(_ input: SimulationInput) -> SeedPlan {
    let plan = study.seedPlan(of: input)
    guard isRace, plan.replicate == .seed, let last = plan.looks.last, last >= 5 else {
      return plan
    }
    var looks: [Int] = []
    var next = 5
    while next < last {
      looks.append(next)
      next *= 2
    }
    return SeedPlan(looks: looks + [last])
  }

  // MARK: Halving

  private func halve(
    _ tried: inout TuningStudy, failures: inout [ContenderFailure]
  ) async throws -> ShipVerdict {
    let seeds = study.seedPlan(of: study.inputs[0]).looks.last ?? 1
    var left = tried.distinct
    let halving = SuccessiveHalving(settings: left.count, seeds: seeds)
    for (rung, next) in zip(halving.rungs, halving.rungs.dropFirst()) {
      let scores: [Double?]
      if rung.divisor == 1 {
        try await tried.run(left, seeds: rung.seeds)
        scores = tried.scores(of: left, by: searched)
      } else {
        var short = TuningStudy(
          runner: StudyRunner(
            inputs: study.inputs.map { $0.shortened(to: rung.divisor) },
            journal: runner.journal, progress: runner.progress), settings: study.settings,
          firstSeeds: study.firstSeeds)
        try await short.run(left, seeds: rung.seeds)
        failures += short.failures
        scores = short.scores(of: left, by: searched)
      }
      left = SuccessiveHalving.survivors(scores, count: next.settings).map { left[$0] }
    }
    return try await tried.select(searched, among: left, plan: study.inputs[0].plan(.fixed(seeds)))
  }

  // MARK: Judgement

  /// Judges the best of each policy on scenarios and seeds that no search used, in lines.
  func judgement(
    of finalists: [TuningOutcome.Best], on inputs: [SimulationInput], seeds: Int
  ) async throws -> [String] {
    let settings = try inputs.map { input in
      try finalists.enumerated().compactMap { index, finalist in
        var setting = try finalist.setting(in: input.file)
        if index > 0 { setting?.policy = "rival \(finalist.policy)" }
        return setting
      }
    }
    var study = TuningStudy(
      runner: StudyRunner(
        inputs: inputs, journal: runner.journal, progress: runner.progress),
      settings: settings,
      firstSeeds: inputs.map { $0.firstSeed(self.study.seed) &+ Self.freshOffset })
    let all = Array(study.labels.indices)
    try await study.run(all, seeds: seeds)
    try study.failures.throwIfAny()
    let total = study.total(searched, reference: all.last ?? 0)
    let samples = all.map { study.sample($0, by: total, searched) }
    let judgement = Judgement(
      of: samples[0], against: Array(samples.dropFirst()), by: total.rule)
    return JudgementText(
      judgement: judgement, rule: total.rule, scenarios: inputs.map(\.name),
      replicates: inputs.first?.recorded.map { "\($0.users.count) other users" }
        ?? "\(seeds) fresh seeds",
      trials: self.study.plan.count
    ).lines
  }
}

extension SimulationInput {
  /// Returns the input with a part of its virtual time, if possible.
  fileprivate func shortened(to divisor: Int) -> SimulationInput {
    guard isDrawn, let document = file.document else { return self }
    let duration = "\(file.scenario.duration.wholeNanoseconds / Int64(divisor)) ns"
    guard
      let scenario = try? document.setting("duration", to: duration).scenario(vocabulary: .all)
    else { return self }
    var input = self
    input.file.scenario = scenario
    return input
  }
}
