import Analysis
import CacheSimulation
import CommandLineInterface
import ResultModel

/// What one policy did on one seed.
struct PolicyRun: Sendable {
  var rows: [ResultRow]
  var outcomes: ReadOutcomes
  var timeline: Timeline?
  var work: SimulatedWork
  /// What the cache said of its name and version.
  var claim: String?
  /// What the limit counts that it exceeded.
  var exceededLimit: String?
  /// Why its figures cannot be relied on.
  var doubt: ContenderFailure?
}

/// A comparison under way: the look that is being run, and what earlier looks left.
struct ComparisonProgress {
  let comparison: Comparison
  private var selection: Selection?
  /// Who takes no part any more, by place, and why.
  private var withdrawn: [Int: ContenderFailure] = [:]
  /// Whose runs ended early in this look: the lowest seed of which that is known, and why.
  private var failed: [Int: (seed: Int, failure: ContenderFailure)] = [:]
  private var policies: [PolicyHistory]
  /// The runs of the look, and how many of them are missing.
  private var look = Look(seeds: 0..<0, policies: [])
  private var missing = 0

  /// The runs that a look asks for.
  struct Look {
    var seeds: Range<Int>
    /// As indices of the contenders.
    var policies: [Int]
  }

  /// One policy, over all seeds so far.
  private struct PolicyHistory {
    var rows = RowsOverSeeds()
    var sample: ObservedSample
    var outcomes: [ReadOutcomes] = []
    var timeline: Timeline?
    var work = SimulatedWork()
    var claim: String?
    var exceededLimits: [String] = []
    /// The runs of the current look, by the number of the seed.
    var arrived: [Int: PolicyRun] = [:]
  }

  init(_ comparison: Comparison) {
    self.comparison = comparison
    policies = Self.histories(comparison)
    selection = Self.selection(comparison, among: comparison.ranked)
  }

  private static func histories(_ comparison: Comparison) -> [PolicyHistory] {
    comparison.contenders.map {
      PolicyHistory(sample: ObservedSample(contender: $0.name, seedCount: 0, columns: []))
    }
  }

  /// By name, so that of equals none is first for having been named first.
  private static func selection(_ comparison: Comparison, among names: [String]) -> Selection? {
    names.isEmpty
      ? nil
      : Selection(
        rule: comparison.rule, contenders: names.sorted(),
        memoryUnknown: comparison.contenders.memoryUnknown, plan: comparison.plan)
  }

  /// The places of those that take part.
  private var present: [Int] { policies.indices.filter { withdrawn[$0] == nil } }

  /// Those of the contenders that take part.
  private var contenders: [String] {
    let names = present.map { comparison.contenders[$0].name }
    return comparison.ranked.filter(names.contains)
  }

  /// Whether nothing was looked at yet.
  private var isFirst: Bool { present.allSatisfy { policies[$0].sample.seedCount == 0 } }

  /// What to run next; `nil` once the comparison is decided.
  mutating func nextLook() -> Look? {
    let names = comparison.contenders.map(\.name)
    guard !present.isEmpty else { return nil }
    if let demand = selection?.demand {
      let wanted = present.filter {
        demand.contenders.contains(names[$0])
          || isFirst && !comparison.ranked.contains(names[$0])
      }
      look = Look(seeds: demand.seeds, policies: wanted)
    } else if isFirst {
      look = Look(seeds: 0..<(comparison.plan.looks.first ?? 1), policies: present)
    } else {
      return nil
    }
    missing = look.seeds.count * look.policies.count
    return look
  }

  /// Takes a run of the look, in any order.
  ///
  /// - Returns: whether the look is complete.
  mutating func take(_ run: PolicyRun, of policy: Int, seed: Int) -> Bool {
    policies[policy].arrived[seed] = run
    return didArrive()
  }

  /// Takes the end of a run of the look that came early, or was not begun.
  ///
  /// - Returns: whether the look is complete.
  mutating func take(_ failure: ContenderFailure, of policy: Int, seed: Int) -> Bool {
    if failed[policy].map({ seed < $0.seed }) ?? true { failed[policy] = (seed, failure) }
    return didArrive()
  }

  /// Why a run need not begin: one of a lower seed has failed already.
  func reasonToSkip(_ policy: Int, seed: Int) -> ContenderFailure? {
    failed[policy].flatMap { $0.seed < seed ? $0.failure : nil }
  }

  private mutating func didArrive() -> Bool {
    missing -= 1
    guard missing == 0 else { return false }
    if !failed.isEmpty || hasDoubts { withdraw() }
    finishLook()
    return true
  }

  private var hasDoubts: Bool { look.policies.contains { doubt(of: $0) != nil } }

  private func doubt(of policy: Int) -> ContenderFailure? {
    withdrawn[policy] == nil ? policies[policy].arrived[0]?.doubt : nil
  }

  /// Takes out whose runs failed or are in doubt: the others go on as if they had never been there.
  private mutating func withdraw() {
    let wasFirst = isFirst
    let unreliable = look.policies.filter { failed[$0] == nil && doubt(of: $0) != nil }
    for policy in unreliable { withdrawn[policy] = doubt(of: policy) }
    for (policy, reason) in failed { withdrawn[policy] = reason.failure }
    look.policies.removeAll { failed[$0] != nil }
    failed = [:]
    selection = Self.selection(comparison, among: contenders)
    // What was dropped for being behind one of them may not be behind anybody.
    if !wasFirst {
      policies = Self.histories(comparison)
      look.policies = []
    }
  }

  private mutating func finishLook() {
    guard !look.policies.isEmpty else { return }
    let figures = comparison.figures
    let contenders = contenders
    var samples: [ObservedSample] = []
    for policy in look.policies {
      let runs = look.seeds.compactMap { policies[policy].arrived[$0] }
      policies[policy].arrived = [:]
      let sample = ObservedSample(
        contender: comparison.contenders[policy].name, runs: runs.map(\.rows), figures: figures)
      policies[policy].sample.append(sample)
      if contenders.contains(sample.contender) { samples.append(sample) }
      for (seed, run) in zip(look.seeds, runs) {
        if seed < comparison.seedsWithRows ?? .max { policies[policy].rows.append(run.rows) }
        policies[policy].outcomes.append(run.outcomes)
        policies[policy].timeline = policies[policy].timeline ?? run.timeline
        policies[policy].work += run.work
        policies[policy].claim = policies[policy].claim ?? run.claim
        if let limit = run.exceededLimit, !policies[policy].exceededLimits.contains(limit) {
          policies[policy].exceededLimits.append(limit)
        }
      }
    }
    // Whose figures are in doubt are shown, and decide nothing.
    if selection?.demand != nil { selection?.record(samples) }
  }

  /// Ends the comparison as it stands after its last complete look.
  mutating func stop() { selection?.stop() }

  var result: ComparisonResult {
    var result = ComparisonResult(comparison: comparison, verdict: selection?.verdict)
    result.comparison.contenders = present.map { comparison.contenders[$0] }
    result.failures = policies.indices.compactMap { withdrawn[$0] }
    result.means = comparison.input.claimed(policies.flatMap(\.rows.means))
    result.eachSeed = policies.flatMap { $0.rows.seedCount > 1 ? $0.rows.eachSeed : [] }
    result.otherVerdicts = comparison.otherRules.compactMap { other in
      verdict(by: other.rule).map { Robustness.Alternative(label: other.label, verdict: $0) }
    }
    result.margin = selection?.verdict.flatMap(margin)
    for (contender, policy) in zip(comparison.contenders, policies) {
      result.work += policy.work
      result.claims[contender.name] = policy.claim
      if !policy.exceededLimits.isEmpty {
        result.exceededLimits[contender.name] = policy.exceededLimits.joined(separator: ", ")
      }
      if let timeline = policy.timeline { result.timelines.append((contender.name, timeline)) }
    }
    return result
  }

  /// The verdict by another rule, from the seeds of the first look, which everybody has run.
  private func verdict(by rule: Goal) -> ShipVerdict? {
    let count = comparison.plan.looks.first ?? 1
    guard !contenders.isEmpty, present.allSatisfy({ policies[$0].sample.seedCount >= count })
    else { return nil }
    return Selection.verdict(
      by: rule, among: contenders, memoryUnknown: comparison.contenders.memoryUnknown,
      plan: SeedPlan(looks: [count], of: comparison.plan.replicate)
    ) { demand in
      policies.map(\.sample).filter { demand.contenders.contains($0.contender) }
        .map { $0[demand.seeds] }
    }
  }

  /// Read by read, over the seeds that both ran.
  private func margin(of verdict: ShipVerdict) -> ReadMargin? {
    guard case .ship(let recommendation) = verdict.outcome, let runnerUp = recommendation.runnerUp,
      let winner = outcomes(of: recommendation.contender), let other = outcomes(of: runnerUp)
    else { return nil }
    var margin = ReadMargin()
    for (own, theirs) in zip(winner, other) {
      let difference = own.freshHits(against: theirs)
      for (outcome, reads) in difference.gained {
        margin.count(winner: .hitFresh, runnerUp: outcome, reads: reads)
      }
      for (outcome, reads) in difference.lost {
        margin.count(winner: outcome, runnerUp: .hitFresh, reads: reads)
      }
    }
    return margin
  }

  private func outcomes(of contender: String) -> [ReadOutcomes]? {
    zip(comparison.contenders, policies).first { $0.0.name == contender }?.1.outcomes
  }
}
