/// Selects the policy to ship among contenders on the same seeds, with no more seeds than necessary.
///
/// A state machine: ``demand`` says which seeds of which contenders it wants next, ``record(_:)`` takes
/// them, and in the end ``verdict`` is there. It looks only at the stops of its plan; between them nothing
/// is decided, since each look is another chance to be wrong.
///
/// It drops a contender that is significantly worse, and stops when the rest are equal in all that matters: a
/// group-sequential procedure of paired t intervals with Bonferroni's correction, and a test of equivalence by them
/// (two one-sided tests), so that each decision is an interval that a reader can check. The zone is the indifference
/// zone of Kim and Nelson, "A fully sequential procedure for indifference-zone selection in simulation", ACM TOMACS
/// 11, 2001; their procedure looks after every seed, and has no verdict of equivalence.
package struct Selection: Sendable {
  /// The runs that a selection wants to see next.
  package struct Demand: Hashable, Sendable {
    /// The contenders that are left, in the order given.
    package let contenders: [String]
    /// Numbers of common seeds.
    package let seeds: Range<Int>
  }

  package let rule: Goal
  package let plan: SeedPlan
  /// `nil` until it is decided.
  package internal(set) var verdict: ShipVerdict?
  var contenders: [ObservedContender]
  /// How many of the plan's stops were made.
  private var stopsMade = 0
  /// How many competed at the first look, which sets the level; contenders without figures are not counted.
  private var contenderCount: Int?

  /// - Parameters:
  ///   - rule: What the scenario asks for.
  ///   - contenders: Distinct names.
  ///   - memoryUnknown: Those of them whose memory cannot be seen: the limits of the cache do not bind them,
  ///     and the verdict says so.
  ///   - plan: When to look.
  package init(
    rule: Goal, contenders: [String], memoryUnknown: Set<String> = [],
    plan: SeedPlan = .automatic
  ) {
    precondition(Set(contenders).count == contenders.count, "a contender has a name of its own")
    self.rule = rule
    self.plan = plan
    self.contenders = contenders.map {
      ObservedContender(name: $0, isMemoryUnknown: memoryUnknown.contains($0))
    }
    if contenders.isEmpty { verdict = verdict(.nobody) }
  }

  /// What to run next; `nil` once there is a verdict.
  package var demand: Demand? {
    guard verdict == nil else { return nil }
    return Demand(contenders: left.map(\.name), seeds: seedsSeen..<plan.stops[stopsMade])
  }

  /// Whether any seed was looked at.
  package var hasLooked: Bool { stopsMade > 0 }

  /// The common seeds behind the last look.
  var seedsSeen: Int { stopsMade == 0 ? 0 : plan.stops[stopsMade - 1] }

  /// Whether the stop that is being made is the one before all looks, which can only drop.
  var isScreening: Bool { plan.screening != nil && stopsMade == 1 }

  /// The level of the intervals between contenders.
  var level: Double {
    let count = contenderCount ?? contenders.count
    return isScreening
      ? plan.screeningLevel(contenders: count) : plan.level(contenders: count)
  }

  var isLastLook: Bool { stopsMade == plan.stops.count }

  /// Takes what was demanded, in any order of contenders, and looks.
  ///
  /// - Precondition: one sample for each contender of ``demand``, of exactly its seeds.
  package mutating func record(_ samples: [ObservedSample]) {
    guard let demand else { preconditionFailure("the selection has its verdict") }
    precondition(
      samples.count == demand.contenders.count
        && samples.allSatisfy { $0.seedCount == demand.seeds.count },
      "seeds \(demand.seeds) of \(demand.contenders) were wanted")
    for index in contenders.indices where contenders[index].isLeft {
      let name = contenders[index].name
      guard let own = samples.first(where: { $0.contender == name }) else {
        preconditionFailure("seeds \(demand.seeds) of \(name) were wanted")
      }
      contenders[index].take(own, requiring: rule)
    }
    stopsMade += 1
    contenderCount = contenderCount ?? left.count
    verdict = look().map(verdict)
  }

  /// Ends the selection where the caller has no time for more; without effect once it is decided.
  ///
  /// The state of the last look is what is reported: seeds beyond it have not been looked at.
  package mutating func stop() {
    if verdict == nil { verdict = verdict(.notDecided(indecision(.stopped))) }
  }

  /// Who is left, in the order given.
  var left: [ObservedContender] { contenders.filter(\.isLeft) }

  private func verdict(_ outcome: ShipVerdict.Outcome) -> ShipVerdict {
    ShipVerdict(
      outcome: outcome, rule: rule, seeds: seedsSeen, replicate: plan.replicate, level: level,
      standings: contenders.map { $0.standing(by: rule) })
  }

  /// The verdict of a selection that is run to its end.
  ///
  /// - Parameters:
  ///   - rule: What the scenario asks for.
  ///   - contenders: Distinct names.
  ///   - memoryUnknown: Those of them whose memory cannot be seen.
  ///   - plan: When to look.
  ///   - run: Runs what is demanded; `nil` stops the selection.
  /// - Returns: The verdict.
  package static func verdict(
    by rule: Goal, among contenders: [String], memoryUnknown: Set<String> = [],
    plan: SeedPlan = .automatic, run: (Demand) throws -> [ObservedSample]?
  ) rethrows -> ShipVerdict {
    var selection = Selection(
      rule: rule, contenders: contenders, memoryUnknown: memoryUnknown, plan: plan)
    while let demand = selection.demand {
      if let samples = try run(demand) { selection.record(samples) } else { selection.stop() }
    }
    guard let verdict = selection.verdict else {
      preconditionFailure("a selection that demands nothing has a verdict")
    }
    return verdict
  }
}

/// What is open, and what it would take.
extension Selection {
  /// What can be said without a decision.
  func indecision(_ cause: Indecision.Cause) -> Indecision {
    let wasLookedAt = seedsSeen > 1
    return Indecision(
      cause: cause, left: left.map(\.name), leader: wasLookedAt ? best?.name : nil,
      seedsNeeded: wasLookedAt ? seedsNeeded : nil)
  }

  /// The seeds after which every open question would be answered, if means and spread stayed as they are.
  ///
  /// - Returns: `nil` where no number would do: a mean that lies on its limit stays in doubt.
  var seedsNeeded: Int? {
    var most = seedsSeen
    for contender in left {
      for judgement in contender.judgements where judgement.outcome == .notDecided {
        guard let interval = judgement.interval,
          let needed = interval.count(
            forHalfWidth: abs(judgement.constraint.excess(of: interval.mean)))
        else { return nil }
        most = max(most, needed)
      }
    }
    for comparison in pairsApart(of: left) {
      // Either end decides: clear of zero one is dropped, inside the zone they are equivalent. One of
      // the two is at least half a zone away.
      let apart = abs(comparison.behind.mean)
      guard
        let needed = comparison.behind.count(forHalfWidth: max(apart, comparison.zone - apart))
      else { return nil }
      most = max(most, needed)
    }
    return left.isEmpty ? nil : most
  }
}

extension MeanInterval {
  /// The smallest number of values, of the same mean and spread, whose interval is no wider than asked.
  ///
  /// - Returns: `nil` if it would be more than a billion, or the width is not positive.
  func count(forHalfWidth wanted: Double) -> Int? {
    /// The count that Student's factor for this many values needs; it falls with the number of values.
    func count(byFactorOf count: Double) -> Double {
      // Beyond a thousand degrees of freedom the factor changes in its fourth digit only.
      let freedom = Int(min(max(count - 1, 1), 1_000))
      let factor = StudentT.quantile(level: level, degreesOfFreedom: freedom)
      let root = factor * standardDeviation / wanted
      return max(root * root, 2)
    }
    guard wanted > 0 else { return nil }
    let fewest = count(byFactorOf: .infinity).rounded(.up)
    guard fewest <= 1e9 else { return nil }
    let most = count(byFactorOf: fewest).rounded(.up)
    var (tooFew, enough) = (Int(fewest) - 1, Int(most))
    while enough - tooFew > 1 {
      let middle = tooFew + (enough - tooFew) / 2
      let isEnough = count(byFactorOf: Double(middle)) <= Double(middle)
      if isEnough { enough = middle } else { tooFew = middle }
    }
    return enough
  }
}

/// The names in a verdict, and what each is compared with.
extension Selection {
  /// The winner compared with the contender that was dropped last, of several the nearest.
  func recommendation(of winner: ObservedContender) -> Recommendation {
    let behind = contenders.filter { $0.fate == .behind }
    let last = behind.map(\.sample.seedCount).max()
    let leads = behind.filter { $0.sample.seedCount == last }
      .compactMap { other in lead(of: winner, over: other).map { (other.name, $0) } }
    let nearest = leads.min { $0.1.mean < $1.1.mean }
    return Recommendation(contender: winner.name, runnerUp: nearest?.0, lead: nearest?.1)
  }

  /// Sets aside, figure by figure, the contenders that have more of it than the least; the others are preferred.
  ///
  /// Of two contenders the first figure in which they differ decides.
  func equivalence(of equivalent: [ObservedContender]) -> Equivalence {
    var preferred = equivalent
    var separations: [Equivalence.Separation] = []
    for figure in Goal.preferences where preferred.count > 1 {
      let apart = separated(preferred, by: figure)
      preferred.removeAll { contender in apart.contains { $0.contender == contender.name } }
      separations += apart
    }
    let names = preferred.map(\.name)
    return Equivalence(
      contenders: names + equivalent.map(\.name).filter { !names.contains($0) },
      preferred: names, separations: separations)
  }

  /// The contenders that have significantly more of a figure than the least of them, by a share that matters.
  ///
  /// None if one of them lacks the figure.
  private func separated(
    _ contenders: [ObservedContender], by figure: Figure
  ) -> [Equivalence.Separation] {
    guard contenders.allSatisfy({ $0.sample.complete(figure) != nil }),
      let least = contenders.min(by: { $0.mean(figure) < $1.mean(figure) })
    else { return [] }
    let reference = least.mean(figure)
    return contenders.compactMap { contender in
      guard
        let excess = PairedInterval(
          of: contender.values(figure), less: least.values(figure), level: level),
        excess.low > 0, excess.mean >= Goal.smallestPreference * abs(reference)
      else { return nil }
      return Equivalence.Separation(
        contender: contender.name, figure: figure, reference: least.name, excess: excess,
        share: excess.mean / abs(reference))
    }
  }
}
