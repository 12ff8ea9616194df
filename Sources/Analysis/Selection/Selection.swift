/// Selects the policy to recommend among contenders on the same seeds, with no more seeds than necessary.
///
/// A state machine: ``demand`` is the next set of seeds and contenders to run, ``record(_:)`` receives the
/// results, and finally there is a ``verdict``. It evaluates only at the stops of its plan; nothing is
/// decided in between, since each look is another chance of error.
///
/// It drops a contender that is significantly worse, and stops when the rest are equal in all that matters: a
/// group-sequential procedure of paired t intervals with Bonferroni's correction, and a test of equivalence by them
/// (two one-sided tests), so that each decision is an interval that a reader can check. The zone is the indifference
/// zone of Kim and Nelson, "A fully sequential procedure for indifference-zone selection in simulation", ACM TOMACS
/// 11, 2001; their procedure looks after every seed, and has no verdict of equivalence.
package struct Selection: Sendable {
  package struct Demand: Hashable, Sendable {
    /// The remaining contenders, in the order given.
    package let contenders: [String]
    package let seeds: Range<Int>
  }

  package let rule: Goal
  package let plan: SeedPlan
  /// The verdict; `nil` until it is decided.
  package internal(set) var verdict: ShipVerdict?
  var contenders: [ObservedContender]
  private var stopsMade = 0
  /// The number of competitors at the first look, which sets the level; contenders without figures are not
  /// counted.
  private var contenderCount: Int?

  /// - Parameters:
  ///   - rule: the scenario's goal.
  ///   - contenders: distinct names.
  ///   - memoryUnknown: the contenders whose memory is unknown: the cache's limits do not apply to them, and
  ///     the verdict says so.
  ///   - plan: when to look.
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

  /// The runs needed next; `nil` once there is a verdict.
  package var demand: Demand? {
    guard verdict == nil else { return nil }
    return Demand(contenders: left.map(\.name), seeds: seedsSeen..<plan.stops[stopsMade])
  }

  package var hasLooked: Bool { stopsMade > 0 }

  /// The number of common seeds at the last look.
  var seedsSeen: Int { stopsMade == 0 ? 0 : plan.stops[stopsMade - 1] }

  /// Whether the current stop is the screening, which can only drop.
  var isScreening: Bool { plan.screening != nil && stopsMade == 1 }

  /// The level of the intervals between contenders.
  var level: Double {
    let count = contenderCount ?? contenders.count
    return isScreening
      ? plan.screeningLevel(contenders: count) : plan.level(contenders: count)
  }

  var isLastLook: Bool { stopsMade == plan.stops.count }

  /// Records the results of the demand, in any order of contenders, and looks.
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

  /// Ends the selection if the caller has no more time; no effect once it is decided.
  ///
  /// The state of the last look is reported: later seeds have not been evaluated.
  package mutating func stop() {
    if verdict == nil { verdict = verdict(.notDecided(indecision(.stopped))) }
  }

  /// The remaining contenders, in the order given.
  var left: [ObservedContender] { contenders.filter(\.isLeft) }

  private func verdict(_ outcome: ShipVerdict.Outcome) -> ShipVerdict {
    ShipVerdict(
      outcome: outcome, rule: rule, seeds: seedsSeen, replicate: plan.replicate, level: level,
      standings: contenders.map { $0.standing(by: rule) })
  }

  /// Runs a selection to its end.
  ///
  /// - Parameters:
  ///   - rule: the scenario's goal.
  ///   - contenders: distinct names.
  ///   - memoryUnknown: the contenders whose memory is unknown.
  ///   - plan: when to look.
  ///   - run: runs a demand; `nil` stops the selection.
  /// - Returns: the verdict.
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

/// Undecided questions, and the seeds needed to decide them.
extension Selection {
  /// Returns the result without a decision.
  func indecision(_ cause: Indecision.Cause) -> Indecision {
    let wasLookedAt = seedsSeen > 1
    return Indecision(
      cause: cause, left: left.map(\.name), leader: wasLookedAt ? best?.name : nil,
      seedsNeeded: wasLookedAt ? seedsNeeded : nil)
  }

  /// The number of seeds after which every open question would be decided, with unchanged means and spread.
  ///
  /// - Returns: `nil` if no number would suffice: a mean equal to its limit stays undecided.
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
      // Either end decides: excluding zero, one is dropped; inside the zone, they are equivalent. One of the
      // two is at least half a zone away.
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
  /// Returns the smallest number of values, with the same mean and spread, whose interval is at most this
  /// wide.
  ///
  /// - Returns: `nil` if it would be more than a billion, or the width is not positive.
  func count(forHalfWidth wanted: Double) -> Int? {
    /// Returns the count for Student's factor with this many values; it decreases with the number of values.
    func count(byFactorOf count: Double) -> Double {
      // Above a thousand degrees of freedom only the factor's fourth digit changes.
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

/// The policies in a verdict, and their comparisons.
extension Selection {
  /// Returns the winner compared with the contender that was dropped last, the nearest of several.
  func recommendation(of winner: ObservedContender) -> Recommendation {
    let behind = contenders.filter { $0.fate == .behind }
    let last = behind.map(\.sample.seedCount).max()
    let leads = behind.filter { $0.sample.seedCount == last }
      .compactMap { other in lead(of: winner, over: other).map { (other.name, $0) } }
    let nearest = leads.min { $0.1.mean < $1.1.mean }
    return Recommendation(contender: winner.name, runnerUp: nearest?.0, lead: nearest?.1)
  }

  /// Ranks equivalent contenders: by each figure in turn, those with significantly more than the least are
  /// set aside; the others are preferred.
  ///
  /// The first figure in which two contenders differ decides.
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

  /// Returns the contenders that have significantly more of a figure than the least of them, by a relevant
  /// share.
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
