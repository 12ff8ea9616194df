import Analysis
import CacheSimulation
import ResultModel

/// What one policy did on one seed.
struct PolicyRun: Sendable {
  var rows: [ResultRow]
  var outcomes: ReadOutcomes
  var timeline: Timeline?
  var work: SimulatedWork
}

/// A comparison under way: the look that is being run, and what earlier looks left.
struct ComparisonProgress {
  let comparison: Comparison
  private var selection: Selection?
  private var policies: [PolicyHistory]
  /// The runs of the look, and how many of them are missing.
  private var look = Look(seeds: 0..<0, policies: [])
  private var missing = 0

  /// The runs that a look asks for.
  struct Look {
    var seeds: Range<Int>
    /// As indices of the contestants.
    var policies: [Int]
  }

  /// One policy, over all seeds so far.
  private struct PolicyHistory {
    var rows = RowsOverSeeds()
    var sample: ObservedSample
    var outcomes: [ReadOutcomes] = []
    var timeline: Timeline?
    var work = SimulatedWork()
    /// The runs of the current look, by the number of the seed.
    var arrived: [Int: PolicyRun] = [:]
  }

  init(_ comparison: Comparison) {
    self.comparison = comparison
    policies = comparison.contestants.map {
      PolicyHistory(sample: ObservedSample(contender: $0.name, seedCount: 0, columns: []))
    }
    if !comparison.contenders.isEmpty {
      selection = Selection(
        rule: comparison.rule, contenders: comparison.contenders, plan: comparison.plan)
    }
  }

  /// What to run next; `nil` once the comparison is decided.
  mutating func nextLook() -> Look? {
    let names = comparison.contestants.map(\.name)
    let isFirst = policies.allSatisfy { $0.sample.seedCount == 0 }
    if let demand = selection?.demand {
      let wanted = names.indices.filter {
        demand.contenders.contains(names[$0])
          || isFirst && !comparison.contenders.contains(names[$0])
      }
      look = Look(seeds: demand.seeds, policies: wanted)
    } else if isFirst {
      look = Look(seeds: 0..<(comparison.plan.looks.first ?? 1), policies: Array(names.indices))
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
    missing -= 1
    guard missing == 0 else { return false }
    finishLook()
    return true
  }

  private mutating func finishLook() {
    let figures = comparison.figures
    var samples: [ObservedSample] = []
    for policy in look.policies {
      let runs = look.seeds.compactMap { policies[policy].arrived[$0] }
      policies[policy].arrived = [:]
      let sample = ObservedSample(
        contender: comparison.contestants[policy].name, runs: runs.map(\.rows), figures: figures)
      policies[policy].sample.append(sample)
      if comparison.contenders.contains(sample.contender) { samples.append(sample) }
      for (seed, run) in zip(look.seeds, runs) {
        if seed < comparison.seedsWithRows ?? .max { policies[policy].rows.append(run.rows) }
        policies[policy].outcomes.append(run.outcomes)
        policies[policy].timeline = policies[policy].timeline ?? run.timeline
        policies[policy].work += run.work
      }
    }
    if selection?.demand != nil { selection?.record(samples) }
  }

  /// Ends the comparison as it stands after its last complete look.
  mutating func stop() { selection?.stop() }

  var result: ComparisonResult {
    var result = ComparisonResult(comparison: comparison, verdict: selection?.verdict)
    result.means = policies.flatMap(\.rows.means)
    result.eachSeed = policies.flatMap { $0.rows.seedCount > 1 ? $0.rows.eachSeed : [] }
    result.otherVerdicts = comparison.otherRules.compactMap { other in
      verdict(by: other.rule).map { Robustness.Alternative(label: other.label, verdict: $0) }
    }
    result.margin = selection?.verdict.flatMap(margin)
    for (contestant, policy) in zip(comparison.contestants, policies) {
      result.work += policy.work
      if let timeline = policy.timeline { result.timelines.append((contestant.name, timeline)) }
    }
    return result
  }

  /// The verdict by another rule, from the seeds of the first look, which everybody has run.
  private func verdict(by rule: ShipRule) -> ShipVerdict? {
    let count = comparison.plan.looks.first ?? 1
    guard !comparison.contenders.isEmpty, policies.allSatisfy({ $0.sample.seedCount >= count })
    else { return nil }
    return Selection.verdict(by: rule, among: comparison.contenders, plan: .fixed(count)) {
      demand in
      policies.map(\.sample).filter { demand.contenders.contains($0.contender) }
        .map { $0[demand.seeds] }
    }
  }

  /// Read by read, over the seeds that both ran.
  private func margin(of verdict: ShipVerdict) -> ReadMargin? {
    guard case .ship(let shipment) = verdict.outcome, let runnerUp = shipment.runnerUp,
      let winner = outcomes(of: shipment.contender), let other = outcomes(of: runnerUp)
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
    zip(comparison.contestants, policies).first { $0.0.name == contender }?.1.outcomes
  }
}
