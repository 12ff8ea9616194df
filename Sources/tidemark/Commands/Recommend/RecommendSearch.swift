import Analysis
import CacheModel
import CommandLineInterface
import Reporting
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
  /// The memory limit of all proposals, in bytes; `nil`: the app's own limits.
  let memory: Int?
  let client: ClientKnobs?
  /// The app's current policy, if given.
  let now: String?
  let seed: UInt64?
  let runner: StudyRunner

  /// The searched base policies; each is tried with the same number of settings.
  static let policies = ["lru", "refcount", "ttl"]
  /// The settings of a policy to try, besides the app's limits and a limit on memory alone.
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
  /// A field that brings less than this part of what is too little to choose by is not worth a word.
  private static let leastOfField = 0.1

  private var firstSeed: UInt64 { seed ?? input.file.scenario.seed }
  private var rules: [Goal] { [rule] + (otherRule.map { [$0] } ?? []) }
  private var reference: Proposal { Proposal(policy: now ?? client?.name ?? "lru") }

  /// Whether settings found on some users are judged on others.
  private var isSplit: Bool {
    (input.recorded?.users.count ?? 0) >= Replicate.user.fewestForInterval
  }
  private var searched: SimulationInput { isSplit ? input.half(isJudged: false) : input }
  private var judging: SimulationInput { isSplit ? input.half(isJudged: true) : input }

  func run() async throws -> RecommendOutcome {
    let budget = try await self.budget()
    let ideas = try self.ideas(within: budget?.memory)
    // The current policy is replaced only by a better one.
    let present = client == nil ? now.map { [held(Proposal(policy: $0), to: memory)] } ?? [] : []
    let finalists = try await (best(of: ideas) + presets + present).distinct(\.self)
    var chosen = try await choice(among: finalists)
    var curve: MemoryCurve?
    var worth: [Proposal.Field: RecommendOutcome.Judged] = [:]
    if chosen.isRecommended {
      if let budget, !presets.contains(chosen.proposal) {
        let whole = try await self.curve(of: chosen.proposal, within: budget.memory)
        chosen.proposal = try lowered(chosen.proposal, by: whole, within: budget.memory)
        curve = whole
      }
      (chosen.proposal, worth) = try await fewestChanges(chosen, within: budget?.memory)
    }
    let elsewhere = try await circumstances(finalists, chosen, budget?.memory)
    let judged = try await judgement(of: chosen.isRecommended ? chosen.proposal : reference)
    let enough = try await enoughMemory(for: chosen)
    return RecommendOutcome(
      input: input, reads: reads, rule: rule, tried: ideas.reduce(0) { $0 + $1.count },
      policies: ideas.compactMap(\.first?.policy), presets: presets.count,
      seedsOfSearch: Self.seedsOfSearch,
      firstSeedOfJudgement: firstSeed &+ 2 * Self.offset, chosen: chosen, worth: worth,
      budget: budget, enoughMemory: enough, curve: curve, elsewhere: elsewhere, judged: judged,
      client: client)
  }

  // MARK: Candidates

  /// The memory limit; `nil`: the client's own limits.
  private func budget() async throws -> RecommendOutcome.Budget? {
    guard client == nil else { return nil }
    if let memory { return RecommendOutcome.Budget(memory: memory, source: "what --memory allows") }
    let limits = input.file.scenario.cache.capacity
    if let own = limits.memory {
      return RecommendOutcome.Budget(memory: own, source: "the scenario's capacity-memory")
    }
    let lru = try await samples(
      of: [Proposal(policy: "lru")], on: input, offset: 0, seeds: Self.plan.common)
    guard let peak = lru[0].complete(.peakMemory)?.max() else { return nil }
    // A cache fills a limit up to its watermark.
    let share = HumanNumber.percent(limits.highWatermark)
    return RecommendOutcome.Budget(
      memory: Proposal.inFewDigits(Int(peak / limits.highWatermark)),
      source: "lru as the app has it takes \(share) of it")
  }

  /// Of each policy what is tried of it, first as it is in the app.
  private func ideas(within memory: Int?) throws -> [[Proposal]] {
    let ideas: [[Proposal]]
    if let client, !client.knobs.isEmpty {
      ideas = [[Proposal(policy: client.name)] + client.proposals]
    } else {
      let parameters = try TuningParameter.all(Self.fields, models: [input.file.scenario.model])
      let plan = try SearchPlan(.sobol, parameters, trials: Self.trials, steps: 2, seed: 1)
      ideas = Self.policies.map { policy in
        let plain = Proposal(policy: policy)
        let own = (0..<Self.trials).map { trial in
          Proposal(
            policy: policy,
            fields: zip(parameters, plan.values(of: trial)).map {
              Proposal.Field(name: $0.field.name, value: $1)
            })
        }
        return (self.memory == nil ? [plain] : []) + ([plain] + own).map { held($0, to: memory) }
      }
    }
    return try ideas.map { try $0.map { try $0.inFewestWords(in: input.file) }.distinct(\.self) }
  }

  /// The other policies of an app's recording, as they are: those among which `simulate` names the best.
  ///
  /// A client with nothing to set is compared with them too.
  private var presets: [Proposal] {
    guard reads != nil, client?.knobs.isEmpty ?? true, memory == nil else { return [] }
    let scenario = input.file.scenario
    return scenario.policies.map(\.name).filter { name in
      !Self.policies.contains(name) && !PolicyEntry.bounds.contains(name) && name != client?.name
        && scenario.composition(for: name) != nil
    }.map { Proposal(policy: $0) }
  }

  private func held(_ proposal: Proposal, to memory: Int?) -> Proposal {
    memory.map { proposal.held(toMemory: $0) } ?? proposal
  }

  /// Returns the best settings of each policy by their means over the first seeds.
  private func best(of ideas: [[Proposal]]) async throws -> [Proposal] {
    let all = ideas.flatMap(\.self)
    var study = try self.study(all, offset: 0, of: searched)
    try await study.run(study.distinct, seeds: Self.seedsOfSearch)
    try study.failures.throwIfAny()
    var first = 0
    return ideas.flatMap { idea in
      defer { first += idea.count }
      let own = study.distinct.filter { (first..<(first + idea.count)).contains($0) }
      let scores = study.scores(of: own, by: rule)
      let best = zip(own, scores).max { ($0.1 ?? -.infinity) < ($1.1 ?? -.infinity) }
      // As it is in the app it stays in, so that a setting has to show that it is worth its words.
      return [best?.0, own.first].compactMap(\.self).map { all[$0] }.distinct(\.self)
    }
  }

  /// The settings tried on an input.
  private func study(
    _ proposals: [Proposal], offset: UInt64, of input: SimulationInput
  ) throws -> TuningStudy {
    var runner = runner
    runner.inputs = [input]
    runner.progress = runner.progress.of("step \(offset + 1) of 3")
    return TuningStudy(
      runner: runner, settings: [try proposals.map { try $0.setting(in: input.file) }],
      firstSeeds: [firstSeed &+ offset * Self.offset])
  }

  /// All that is asked of proposals, on the same seeds or users.
  private func samples(
    of proposals: [Proposal], on input: SimulationInput, offset: UInt64, seeds: Int
  ) async throws -> [ObservedSample] {
    var study = try self.study(proposals, offset: offset, of: input)
    try await study.run(study.distinct, seeds: seeds)
    try study.failures.throwIfAny()
    let figures =
      (rules.flatMap(\.requiredFigures)
      + [RecommendOutcome.Judged.reads(in: rule), .readWait, .bytesReceived, .staleReadShare]
      + [.peakMemory] + [Statistic.lower, .upper].map { Figure(.staleReadShare, $0) }).distinct(
        \.self)
    return proposals.indices.map { study.sample(0, study.representative(of: $0), figures) }
  }

  // MARK: What is chosen

  private func choice(among finalists: [Proposal]) async throws -> RecommendOutcome.Choice {
    var study = try self.study(finalists, offset: 1, of: searched)
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
    return RecommendOutcome.Choice(
      proposal: finalists[place], finalists: finalists, verdict: verdict, recorded: recorded)
  }

  /// The results of the choice as it is, with less memory, with more, and without a limit.
  private func curve(of proposal: Proposal, within memory: Int) async throws -> MemoryCurve {
    let sizes = MemoryCurve.levels.map { Proposal.inFewDigits(memory * $0 / 16) }
    let levels = sizes.map { Optional($0) } + [nil]
    let all = try await samples(
      of: levels.map { proposal.held(toMemory: $0) } + [proposal], on: searched, offset: 1,
      seeds: Self.seedsOfCurve)
    var curve = MemoryCurve(of: rules.map(\.objective), rule.direction)
    for (level, sample) in zip(levels, all) {
      curve.add(sample, memory: level ?? Circumstance.unlimited)
    }
    curve.own = all.last.flatMap { curve.point($0, memory: memory) }
    return curve
  }

  /// The least of a few larger sizes than --memory in which the nearest keeps the limits.
  private func enoughMemory(for choice: RecommendOutcome.Choice) async throws -> Int? {
    guard let memory, choice.isOverLimits,
      let over = choice.broken.first(where: { $0.constraint == .withinLimits })?.value
    else { return nil }
    // What cannot be evicted depends on what was fetched, so that the next size need not be enough.
    let sizes = [1.0, 2, 4, 8].map { Proposal.inFewDigits(atLeast: Double(memory) * over * $0) }
    let all = try await samples(
      of: sizes.map { choice.proposal.held(toMemory: $0) }, on: searched, offset: 1,
      seeds: Self.plan.common)
    let goal = otherRule ?? rule
    return zip(sizes, all).first { _, sample in !goal.isBroken(by: sample) }?.0
  }

  /// The same in the least memory that gives away half of what is too little to choose by.
  private func lowered(
    _ proposal: Proposal, by curve: MemoryCurve, within memory: Int
  ) throws -> Proposal {
    guard let own = curve.own,
      let least = curve.least(
        within: rule.zone.width(best: curve.means(own.values)[0]) / 2, of: own.values),
      least < memory
    else { return proposal }
    return try proposal.held(toMemory: least).inFewestWords(in: input.file)
  }

  /// The chosen one without the fields that are worth nothing: each is set to what it is in the app, first alone, then
  /// together with the others of which that costs nothing.
  ///
  /// - Returns: What is left, and what each of its fields is worth.
  private func fewestChanges(
    _ choice: RecommendOutcome.Choice, within memory: Int?
  ) async throws -> (Proposal, [Proposal.Field: RecommendOutcome.Judged]) {
    var kept = choice.proposal
    func judgements(_ others: [Proposal]) async throws -> [RecommendOutcome.Judged] {
      let all = try await samples(
        of: [kept] + others, on: searched, offset: 1, seeds: choice.verdict.seeds)
      return zip(others, all.dropFirst()).map { other, theirs in
        judged(
          all[0], theirs, reference: other, leastLead: Self.leastOfField, memoryAllowed: memory)
      }
    }
    while true {
      var others = kept.fields.indices.map(kept.without)
      if client == nil, kept.policy != reference.policy {
        others.append(Proposal(policy: reference.policy, fields: kept.fields))
      }
      let alone = try await judgements(try others.map { try $0.inFewestWords(in: input.file) })
      let idle = alone.indices.filter { !alone[$0].isWorthIt }.sorted {
        (alone[$0].leads.first?.mean ?? 0, $0) < (alone[$1].leads.first?.mean ?? 0, $1)
      }
      guard !idle.isEmpty else {
        return (kept, Dictionary(zip(kept.fields, alone)) { one, _ in one })
      }
      let whole = kept
      let together = try (1...idle.count).map { count in
        let places = idle.prefix(count)
        var other = whole
        other.fields = whole.fields.indices.filter { !places.contains($0) }.map { whole.fields[$0] }
        if places.contains(whole.fields.count) { other.policy = reference.policy }
        return try other.inFewestWords(in: input.file)
      }
      let judged = try await judgements(together)
      // The first alone costs nothing.
      kept = together[judged.lastIndex { !$0.isWorthIt } ?? 0]
    }
  }

  /// Returns the choices with other users or memory.
  private func circumstances(
    _ finalists: [Proposal], _ choice: RecommendOutcome.Choice, _ memory: Int?
  ) async throws -> [String] {
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
    for bytes in memory.map({ [$0 / 2, $0 * 2] }) ?? [] {
      let size = Proposal.inFewDigits(bytes)
      asked.append(
        (
          "\(Proposal.sizeInWords(size)) of memory", input,
          finalists.map { $0.held(toMemory: size) }
        ))
    }
    // What is best but not worth a change stays so.
    let same =
      [choice.proposal.policy]
      + (choice.recorded?.best ?? []).compactMap { label in
        finalists.first { $0.label == label }?.policy
      }
    var answers: [String] = []
    for (label, input, proposals) in asked {
      var study = try self.study(proposals, offset: 1, of: input)
      let plan = input.plan(.fixed(Self.seedsOfCurve))
      let verdict = try await study.select(rule, among: study.distinct, plan: plan)
      var named = verdict.named
      if let otherRule {
        // The best policy must be best in both cases of a recording's unknown hits.
        let other = try await study.select(otherRule, among: study.distinct, plan: plan).named
        named.removeAll { !other.contains($0) }
      }
      try study.failures.throwIfAny()
      let names = named.compactMap { study.labels.firstIndex(of: $0) }.map { finalists[$0].policy }
      let answer =
        if names.contains(where: same.contains) {
          "the same policy"
        } else if case .noneFeasible = verdict.outcome {
          "nothing that was tried keeps the limits"
        } else {
          names.isEmpty ? "not decided" : names.distinct(\.self).sorted().joined(separator: " or ")
        }
      answers.append("\(label): \(answer)")
    }
    return answers
  }

  // MARK: Judgement

  private func judgement(of proposal: Proposal) async throws -> RecommendOutcome.Judged {
    let all = [proposal, reference].distinct(\.self)
    let samples = try await samples(
      of: all, on: judging, offset: 2, seeds: Self.seedsOfJudgement)
    if !input.isDrawn,
      let lost = rules.flatMap(\.requiredFigures).first(where: { figure in
        samples.contains { $0.complete(figure) == nil }
      })
    {
      throw CommandFailure(
        .data,
        "\(input.name): a user who judges has no \(lost.name); leave recordings without reads out")
    }
    return judged(
      samples[0], samples.count > 1 ? samples[1] : nil, reference: reference,
      leastLead: RecommendOutcome.Judged.usualLead, memoryAllowed: memory)
  }

  private func judged(
    _ own: ObservedSample, _ theirs: ObservedSample?, reference: Proposal, leastLead: Double,
    memoryAllowed: Int?
  ) -> RecommendOutcome.Judged {
    RecommendOutcome.Judged(
      reference: reference, replicate: isSplit ? .user : input.plan(Self.plan).replicate,
      own: own, theirs: theirs, isNow: now != nil || client != nil, weighsMemory: client == nil,
      memoryAllowed: memoryAllowed, rules: rules, leastLead: leastLead)
  }
}
