import Analysis
import CommandLineInterface
import ResultModel
import Workloads

/// A search for a recommendation, in three phases on different seeds: trying settings, choosing among the
/// best, and judging the choice.
///
/// For recorded users, one half is used to search and choose, the other to judge; fewer than four are used
/// for everything.
struct RecommendSearch {
  let input: SimulationInput
  /// The reads in an app's recording; `nil` for anything else.
  let reads: RecordedReads?
  /// The goal; for an app's recording, the goals for both cases of its unknown hits.
  let rule: Goal
  let otherRule: Goal?
  /// The memory limit of all proposals, in bytes; `nil`: the scenario's limits.
  let memory: Int?
  let client: ClientKnobs?
  /// The app's current policy, if given.
  let now: String?
  let seed: UInt64?
  let runner: StudyRunner

  /// The searched base policies; each is tried with the same number of settings.
  static let policies = ["lru", "refcount", "ttl"]
  /// The varied fields of a policy.
  ///
  /// Memory limits are lowered afterwards, along a curve.
  private static let fields = [
    "policy.eviction-order=lru,sieve,s3-fifo,lfu",
    "policy.time-to-live=1min,10min,2h,unlimited",
    "policy.event-admission=write-allocate,update-only",
    "policy.release-buffer-queries=0,10,100,unlimited",
  ]
  private static let trials = 12
  private static let seedsOfSearch = 3
  private static let plan = SeedPlan(looks: [10, 20])
  private static let seedsOfCurve = 5
  private static let seedsOfJudgement = 20
  /// The offset of the choice's streams from the search's, and of the judgement's from the choice's.
  private static let offset: UInt64 = 1_000_000
  /// The maximum loss at the knee compared with no limit: in the unit of a ratio, otherwise as a share.
  private static let kneeTolerance = 0.01
  /// Memory levels as parts of the limit, or of the use without a limit.
  private static let levels = [16, 8, 4, 2, 1]

  private var firstSeed: UInt64 { seed ?? input.file.scenario.seed }

  /// Whether settings found on some users are judged on others.
  private var isSplit: Bool {
    (input.recorded?.users.count ?? 0) >= Replicate.user.fewestForInterval
  }
  private var searched: SimulationInput { isSplit ? input.half(isJudged: false) : input }
  private var judging: SimulationInput { isSplit ? input.half(isJudged: true) : input }

  func run() async throws -> RecommendOutcome {
    let ideas = try await self.ideas()
    // The current policy is replaced only by a better one.
    let present = client == nil ? now.map { [held(Proposal(policy: $0))] } ?? [] : []
    let finalists = try await (best(of: ideas) + present).distinct(\.self)
    var chosen = try await choice(among: finalists)
    let curve = try await self.curve(of: chosen.proposal, in: chosen)
    if let limit = curve.limit, chosen.recorded?.best.isEmpty != true {
      chosen.proposal = chosen.proposal.held(toMemory: limit)
    }
    let elsewhere = try await circumstances(finalists, chosen, curve)
    let judged = try await judgement(of: chosen.proposal)
    return RecommendOutcome(
      input: input, reads: reads, rule: rule, tried: ideas.reduce(0) { $0 + $1.count },
      policies: ideas.compactMap(\.first?.policy),
      seedsOfSearch: Self.seedsOfSearch, chosen: chosen, curve: curve, elsewhere: elsewhere,
      judged: judged, client: client)
  }

  // MARK: Candidates

  /// Returns the settings to try of each policy, its default first.
  private func ideas() async throws -> [[Proposal]] {
    if let client, !client.knobs.isEmpty { return [client.proposals] }
    let parameters = try TuningParameter.all(Self.fields, models: [input.file.scenario.model])
    let plan = try SearchPlan(.sobol, parameters, trials: Self.trials, steps: 2, seed: 1)
    return Self.policies.map { policy in
      let own = (0..<Self.trials).map { trial in
        Proposal(
          policy: policy,
          fields: zip(parameters, plan.values(of: trial)).map {
            Proposal.Field(name: $0.field.name, value: $1)
          })
      }
      return ([Proposal(policy: policy)] + own).map(held)
    }
  }

  private func held(_ proposal: Proposal) -> Proposal {
    guard let memory else { return proposal }
    return proposal.held(toMemory: memory)
  }

  /// Returns the best settings of each policy by their means over the first seeds.
  private func best(of ideas: [[Proposal]]) async throws -> [Proposal] {
    let all = ideas.flatMap(\.self)
    var study = try self.study(all, offset: 0)
    try await study.run(study.distinct, seeds: Self.seedsOfSearch)
    try study.failures.throwIfAny()
    var first = 0
    return ideas.flatMap { idea in
      defer { first += idea.count }
      let own = study.distinct.filter { (first..<(first + idea.count)).contains($0) }
      let scores = study.scores(of: own, by: rule)
      let best = zip(own, scores).max { ($0.1 ?? -.infinity) < ($1.1 ?? -.infinity) }
      // The default stays in, so that a setting has to prove its benefit.
      return [best?.0, own.first].compactMap(\.self).map { all[$0] }.distinct(\.self)
    }
  }

  /// Returns a study of settings on an input: by default the one for searching and choosing.
  private func study(
    _ proposals: [Proposal], offset: UInt64, of input: SimulationInput? = nil
  ) throws -> TuningStudy {
    var runner = runner
    runner.inputs = [input ?? searched]
    return TuningStudy(
      runner: runner,
      settings: try runner.inputs.map { input in
        try proposals.map { try $0.setting(in: input.file) }
      },
      firstSeeds: [firstSeed &+ offset * Self.offset])
  }

  // MARK: Choice

  private func choice(among finalists: [Proposal]) async throws -> RecommendOutcome.Choice {
    var study = try self.study(finalists, offset: 1)
    let verdict = try await study.select(
      rule, among: study.distinct, plan: searched.plan(Self.plan))
    try study.failures.throwIfAny()
    let scores = study.scores(of: study.distinct, by: rule)
    let nearest = zip(study.distinct, scores).max {
      ($0.1 ?? -.infinity) < ($1.1 ?? -.infinity)
    }
    // With one seed, possibly none meets the limits.
    guard
      let name = BestLine(verdict: verdict, trials: finalists.count).setting
        ?? nearest.flatMap({ $0.1 == nil ? nil : study.labels[$0.0] }),
      let place = study.labels.firstIndex(of: name)
    else {
      throw CommandFailure(
        .data,
        "\(input.name): no policy has the figures of its goal, \(rule.objective.name): nothing is recommended"
      )
    }
    var recorded: RecordedVerdict?
    if let otherRule {
      let other = try await study.select(
        otherRule, among: study.distinct, plan: searched.plan(Self.plan))
      recorded = RecordedVerdict(
        ifStale: verdict, ifFresh: other, scenario: input.name, rows: study.means(of: 0))
    }
    let peak = study.sample(0, place, [.peakMemory]).complete(.peakMemory)
    return RecommendOutcome.Choice(
      proposal: finalists[place], verdict: verdict, recorded: recorded,
      peak: peak.flatMap { $0.isEmpty ? nil : $0.reduce(0, +) / Double($0.count) })
  }

  /// Returns the choice's results with less memory, and without a limit.
  private func curve(
    of proposal: Proposal, in choice: RecommendOutcome.Choice
  ) async throws -> RecommendOutcome.Curve {
    // A client's limits are fixed.
    guard client == nil, let top = memory ?? choice.peak.map({ Int($0) }), top > 0 else {
      return RecommendOutcome.Curve(points: [])
    }
    let sizes = Self.levels.map { top / $0 }
    let proposals = sizes.map(proposal.held) + [proposal, proposal.held(toMemory: 1 << 40)]
    var study = try self.study(proposals, offset: 1)
    try await study.run(study.distinct, seeds: Self.seedsOfCurve)
    try study.failures.throwIfAny()
    let means = proposals.indices.map { index in
      study.mean(rule.objective, of: study.representative(of: index))
    }
    guard let own = means[sizes.count], let unlimited = means.last ?? nil else {
      return RecommendOutcome.Curve(points: [])
    }
    let points = zip(sizes, means).compactMap { size, mean in
      mean.map { RecommendOutcome.Curve.Point(memory: size, value: $0) }
    }
    let sign: Double = rule.direction == .maximise ? 1 : -1
    func least(within tolerance: Double, of value: Double) -> Int? {
      points.first { sign * ($0.value - value) >= -tolerance }?.memory
    }
    let tolerance =
      Self.kneeTolerance * (rule.objective.unit == .ratio ? 1 : 2 * unlimited.magnitude)
    // The recommended limit may lose half of the zone.
    let limit = least(within: rule.zone.width(best: own) / 2, of: own)
    return RecommendOutcome.Curve(
      points: points, unlimited: unlimited, knee: least(within: tolerance, of: unlimited),
      wouldMoreHelp: sign * (unlimited - own) > tolerance,
      // A limit equal to the unlimited use is not worth mentioning, and binds when more is used than usual.
      limit: limit == top ? memory : limit)
  }

  /// Returns the choices with other users or memory.
  private func circumstances(
    _ finalists: [Proposal], _ choice: RecommendOutcome.Choice, _ curve: RecommendOutcome.Curve
  ) async throws -> [RecommendOutcome.Elsewhere] {
    var asked: [(label: String, input: SimulationInput, proposals: [Proposal])] = []
    let input = searched
    if input.isDrawn {
      var waiting = input
      waiting.file.scenario = input.file.scenario.withWaitingUsers
      asked.append(("users who wait", waiting, finalists))
    } else if reads != nil {
      // Recorders and imports usually assume how long a view was open.
      for (label, time) in [("views of 0 s", Duration.zero), ("views of 5 min", .seconds(300))] {
        asked.append((label, input.withViews(lasting: time), finalists))
      }
    }
    if client == nil, let top = memory ?? choice.peak.map({ Int($0) }), top > 1 {
      for (label, bytes) in [("half the memory", top / 2), ("twice the memory", top * 2)] {
        asked.append((label, input, finalists.map { $0.held(toMemory: bytes) }))
      }
    }
    var answers: [RecommendOutcome.Elsewhere] = []
    for (label, input, proposals) in asked {
      var study = try self.study(proposals, offset: 1, of: input)
      let plan = input.plan(.fixed(Self.seedsOfCurve))
      var named = try await study.select(rule, among: study.distinct, plan: plan).named
      if let otherRule {
        // The best policy must be best in both cases of a recording's unknown hits.
        let other = try await study.select(otherRule, among: study.distinct, plan: plan).named
        named.removeAll { !other.contains($0) }
      }
      try study.failures.throwIfAny()
      let names = Set(
        named.compactMap { study.labels.firstIndex(of: $0) }
          .map { finalists[$0].policy })
      answers.append(
        RecommendOutcome.Elsewhere(
          label: label,
          answer: names.isEmpty
            ? .open : names.contains(choice.proposal.policy) ? .same : .other(names.sorted())))
    }
    return answers
  }

  // MARK: Judgement

  private func judgement(of proposal: Proposal) async throws -> RecommendOutcome.Judged {
    let reference = Proposal(policy: now ?? client?.name ?? "lru")
    let all = [proposal, reference].distinct(\.self)
    var study = try self.study(all, offset: 2, of: judging)
    try await study.run(study.distinct, seeds: Self.seedsOfJudgement)
    try study.failures.throwIfAny()
    let figures =
      (rule.requiredFigures + (otherRule?.requiredFigures ?? [])
      + [RecommendOutcome.Judged.reads(in: rule), .readWait, .bytesReceived, .staleReadShare]
      + [.peakMemory] + [Statistic.lower, .upper].map { Figure(.staleReadShare, $0) }).distinct(
        \.self)
    let samples = all.indices.map { study.sample(0, study.representative(of: $0), figures) }
    let needed = rule.requiredFigures + (otherRule?.requiredFigures ?? [])
    if !input.isDrawn,
      let lost = needed.first(where: { figure in samples.contains { $0.complete(figure) == nil } })
    {
      throw CommandFailure(
        .data,
        "\(input.name): a user who judges has no \(lost.name); leave recordings without reads out")
    }
    return RecommendOutcome.Judged(
      reference: reference, replicate: isSplit ? .user : input.plan(Self.plan).replicate,
      own: samples[0], theirs: samples.count > 1 ? samples[1] : nil,
      isNow: now != nil || client != nil, weighsMemory: client == nil, memoryAllowed: memory,
      rules: [rule] + (otherRule.map { [$0] } ?? []))
  }
}

extension TuningStudy {
  /// Returns the mean of a figure over the run seeds of the first scenario.
  fileprivate func mean(_ figure: Figure, of setting: Int) -> Double? {
    guard let values = sample(0, setting, [figure]).complete(figure), !values.isEmpty else {
      return nil
    }
    return values.reduce(0, +) / Double(values.count)
  }
}
