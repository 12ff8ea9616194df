import Analysis
import CacheSimulation
import CommandLineInterface
import ResultModel

/// The state of a comparison: the runs so far, and those that its selections need next.
///
/// Several selections share the runs, so none is repeated.
struct ComparisonProgress {
  let comparison: Comparison
  /// The selection by the comparison's goal; `nil` while probing, and without competitors.
  private var selection: Selection?
  /// The selections by the further goals, once the first has its verdict.
  private var others: [(label: String, selection: Selection)] = []
  /// The withdrawn contenders by index, with the reason.
  private var withdrawn: [Int: ContenderFailure] = [:]
  /// Runs of this step that ended early: the lowest known seed, and the reason.
  private var failed: [Int: (seed: Int, failure: ContenderFailure)] = [:]
  private var policies: [PolicyRuns]
  private var step = Step()
  /// The finished runs of the step, by index of the contender and seed.
  private var arrived: [[Int: PolicyRun]]
  private var missing = 0

  /// Runs that can be made in parallel.
  struct Step {
    /// The seeds of each contender, by index; empty for those that run no more.
    var seeds: [Range<Int>] = []

    var count: Int { seeds.reduce(0) { $0 + $1.count } }

    /// The contenders of each seed, the lowest seed first.
    var bySeed: [(seed: Int, policies: [Int])] {
      (0..<(seeds.map(\.upperBound).max() ?? 0)).compactMap { seed in
        let policies = seeds.indices.filter { seeds[$0].contains(seed) }
        return policies.isEmpty ? nil : (seed, policies)
      }
    }
  }

  init(_ comparison: Comparison) {
    self.comparison = comparison
    policies = Self.runs(known: comparison)
    arrived = comparison.contenders.map { _ in [:] }
    begin()
  }

  private static func runs(known comparison: Comparison) -> [PolicyRuns] {
    comparison.contenders.map { comparison.known[$0.name] ?? PolicyRuns(of: $0.name) }
  }

  // MARK: Contenders

  private var present: [Int] { policies.indices.filter { withdrawn[$0] == nil } }

  private var contenders: [String] {
    let names = present.map { comparison.contenders[$0].name }
    return comparison.ranked.filter(names.contains)
  }

  private func place(of contender: String) -> Int? {
    comparison.contenders.firstIndex { $0.name == contender }
  }

  private func runs(of contender: String) -> PolicyRuns? {
    place(of: contender).map { policies[$0] }
  }

  private var isProbed: Bool {
    comparison.probed == nil || present.allSatisfy { policies[$0].seedCount > 0 }
  }

  /// Begins the selection, once the competitors are known.
  private mutating func begin() {
    guard selection == nil, isProbed else { return }
    let names = contenders.filter(isWithinReach)
    selection =
      names.isEmpty
      ? nil : selection(by: comparison.rule, among: names, plan: comparison.plan)
    lookAtWhatIsThere()
  }

  /// Returns a selection with contenders sorted by name, so that ties do not depend on the order given.
  private func selection(by rule: Goal, among names: [String], plan: SeedPlan) -> Selection {
    Selection(
      rule: rule, contenders: names.sorted(),
      memoryUnknown: comparison.contenders.memoryUnknown, plan: plan)
  }

  /// Returns whether it may still win: all that are not probed may; a probed one may if its first seed meets
  /// every constraint, and is at most two zones behind the best feasible one there.
  private func isWithinReach(_ contender: String) -> Bool {
    guard let probed = comparison.probed, probed.contains(contender) else { return true }
    let rule = comparison.rule
    func value(_ figure: Figure, of name: String) -> Double? {
      runs(of: name)?.sample.values(figure).first.flatMap(\.self)
    }
    func keepsAll(_ name: String) -> Bool {
      rule.constraints.allSatisfy { constraint in
        value(constraint.figure, of: name).map(constraint.isKept) ?? true
      }
    }
    guard keepsAll(contender) else { return false }
    let certain = contenders.filter { !probed.contains($0) && keepsAll($0) }
      .compactMap { value(rule.objective, of: $0) }
    guard let own = value(rule.objective, of: contender),
      let best = rule.direction == .maximise ? certain.max() : certain.min()
    else { return true }
    let behind = rule.direction == .maximise ? best - own : own - best
    return behind <= 2 * rule.zone.width(best: best)
  }

  // MARK: Runs

  /// Returns the next runs; empty once the comparison is decided.
  mutating func nextStep() -> Step {
    var wanted = policies.map { _ in 0 }
    func want(_ demand: Selection.Demand) {
      for name in demand.contenders {
        guard let place = place(of: name) else { continue }
        wanted[place] = max(wanted[place], demand.seeds.upperBound)
      }
    }
    if !isProbed {
      for place in present { wanted[place] = 1 }
    } else {
      if let demand = selection?.demand {
        want(demand)
      } else {
        for demand in others.compactMap(\.selection.demand) { want(demand) }
      }
      // Bounds and policies that do not compete have a row for the common seeds.
      for place in present where !comparison.ranked.contains(comparison.contenders[place].name) {
        wanted[place] = comparison.plan.common
      }
    }
    step.seeds = policies.indices.map { place in
      let count = policies[place].seedCount
      return count..<(withdrawn[place] == nil ? max(count, wanted[place]) : count)
    }
    missing = step.count
    return step
  }

  /// Records a run of the step, in any order.
  ///
  /// - Returns: whether the step is complete.
  mutating func take(_ run: PolicyRun, of policy: Int, seed: Int) -> Bool {
    arrived[policy][seed] = run
    return didArrive()
  }

  /// Records a run of the step that ended early, or was skipped.
  ///
  /// - Returns: whether the step is complete.
  mutating func take(_ failure: ContenderFailure, of policy: Int, seed: Int) -> Bool {
    if failed[policy].map({ seed < $0.seed }) ?? true { failed[policy] = (seed, failure) }
    return didArrive()
  }

  /// Returns why a run can be skipped: one of a lower seed has already failed.
  func reasonToSkip(_ policy: Int, seed: Int) -> ContenderFailure? {
    failed[policy].flatMap { $0.seed < seed ? $0.failure : nil }
  }

  private mutating func didArrive() -> Bool {
    missing -= 1
    guard missing == 0 else { return false }
    let unreliable = policies.indices.filter { failed[$0] == nil && doubt(of: $0) != nil }
    if !failed.isEmpty || !unreliable.isEmpty { withdraw(unreliable) }
    for (place, seeds) in step.seeds.enumerated() {
      policies[place].append(seeds.compactMap { arrived[place][$0] }, of: comparison)
      arrived[place] = [:]
    }
    begin()
    lookAtWhatIsThere()
    return true
  }

  private func doubt(of policy: Int) -> ContenderFailure? {
    withdrawn[policy] == nil ? arrived[policy][0]?.doubt : nil
  }

  /// Removes contenders whose runs failed or are not reproducible: the others continue as without them.
  private mutating func withdraw(_ unreliable: [Int]) {
    let isFirst = present.allSatisfy { policies[$0].seedCount == 0 }
    for policy in unreliable { withdrawn[policy] = doubt(of: policy) }
    for (policy, reason) in failed {
      withdrawn[policy] = reason.failure
      arrived[policy] = [:]
    }
    failed = [:]
    selection = nil
    others = []
    // A contender dropped for being behind a removed one may not be behind another.
    if !isFirst {
      policies = Self.runs(known: comparison)
      arrived = policies.map { _ in [:] }
    }
  }

  /// Passes each selection its demand, as long as the runs exist.
  private mutating func lookAtWhatIsThere() {
    guard var selection else { return }
    record(to: &selection)
    self.selection = selection
    guard selection.verdict != nil else { return }
    if others.isEmpty {
      others = comparison.otherRules.map {
        (
          $0.label,
          self.selection(by: $0.rule, among: contenders, plan: comparison.planOfOtherRules)
        )
      }
    }
    for index in others.indices { record(to: &others[index].selection) }
  }

  private func record(to selection: inout Selection) {
    while let demand = selection.demand {
      let samples = demand.contenders.compactMap { runs(of: $0)?.sample }
      guard samples.allSatisfy({ $0.seedCount >= demand.seeds.upperBound }) else { return }
      selection.record(samples.map { $0[demand.seeds] })
    }
  }

  /// Ends the comparison at its last complete look.
  mutating func stop() {
    selection?.stop()
    lookAtWhatIsThere()
    for index in others.indices { others[index].selection.stop() }
  }

  // MARK: Result

  /// The verdict without further runs; `nil` without a look.
  var verdictSoFar: ShipVerdict? {
    guard var selection, selection.verdict != nil || selection.hasLooked else { return nil }
    selection.stop()
    return selection.verdict
  }

  var result: ComparisonResult {
    var result = ComparisonResult(comparison: comparison, verdict: selection?.verdict)
    result.comparison.contenders = present.map { comparison.contenders[$0] }
    result.failures = policies.indices.compactMap { withdrawn[$0] }
    result.runs = policies
    result.means = comparison.input.claimed(policies.flatMap(\.rows.means))
    result.otherVerdicts = others.compactMap { other in
      other.selection.verdict.map { Robustness.Alternative(label: other.label, verdict: $0) }
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

  /// Returns the margin by outcomes of reads, over common seeds.
  private func margin(of verdict: ShipVerdict) -> ReadMargin? {
    guard case .ship(let recommendation) = verdict.outcome, let runnerUp = recommendation.runnerUp,
      let winner = runs(of: recommendation.contender), let other = runs(of: runnerUp),
      let seeds = verdict.standing(of: runnerUp)?.seeds
    else { return nil }
    var margin = ReadMargin()
    for (own, theirs) in zip(winner.outcomes, other.outcomes).prefix(seeds) {
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
}
