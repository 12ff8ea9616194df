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
  static let fields = [
    "policy.eviction-order=lru,sieve,s3-fifo,lfu",
    "policy.time-to-live=1min,10min,2h,unlimited",
    "policy.event-admission=write-allocate,update-only",
    "policy.release-buffer-queries=0,10,100,unlimited",
  ]
  static let trials = 12
  private static let seedsOfSearch = 3
  static let plan = SeedPlan(looks: [10, 20])
  static let seedsOfCurve = 5
  static let seedsOfJudgement = 20
  /// The offset of the choice's streams from the search's, and of the judgement's from the choice's.
  static let offset: UInt64 = 1_000_000
  /// A field that brings less than this part of what is too little to choose by is not worth a word.
  static let leastOfField = 0.1

  private var firstSeed: UInt64 { seed ?? input.file.scenario.seed }
  var rules: [Goal] { [rule] + (otherRule.map { [$0] } ?? []) }
  var reference: Proposal { Proposal(policy: now ?? client?.name ?? "lru") }

  /// Whether settings found on some users are judged on others.
  var isSplit: Bool {
    (input.recorded?.users.count ?? 0) >= Replicate.user.fewestForInterval
  }
  var searched: SimulationInput { isSplit ? input.half(isJudged: false) : input }
  var judging: SimulationInput { isSplit ? input.half(isJudged: true) : input }

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

  func held(_ proposal: Proposal, to memory: Int?) -> Proposal {
    memory.map { proposal.held(toMemory: $0) } ?? proposal
  }

  /// Returns the best settings of each policy by their means over the first seeds.
  func best(of ideas: [[Proposal]]) async throws -> [Proposal] {
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
  func study(
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
  func samples(
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
}
