/// One look: drops contenders that violate a constraint or are worse, and decides whether to end.
extension Selection {
  mutating func look() -> ShipVerdict.Outcome? {
    judge()
    guard !left.isEmpty else { return outcomeOfNobodyLeft }
    guard seedsSeen >= plan.replicate.fewestForInterval else {
      guard isLastLook else { return nil }
      return plan.replicate == .user
        ? .bestOfFewUsers(bestOfFewUsers) : .bestOfOneSeed(bestByMean(of: keepers))
    }
    compare()
    let left = left
    if left.allSatisfy(\.isFeasible) {
      if left.count == 1 { return .ship(recommendation(of: left[0])) }
      if !isScreening, pairsApart(of: left).isEmpty {
        return .equivalent(equivalence(of: left))
      }
    }
    return isLastLook || isOutOfReach ? .notDecided(indecision(.lastLook)) : nil
  }

  /// Whether even the last look would probably not decide.
  private var isOutOfReach: Bool {
    guard let most = plan.mostNeeded, seedsSeen >= SeedPlan.fewestToGiveUp, let seedsNeeded else {
      return false
    }
    return seedsNeeded > most
  }

  /// Judges the constraints of all remaining contenders, and drops those that violate one.
  private mutating func judge() {
    for index in contenders.indices where contenders[index].isLeft {
      let judgements = contenders[index].constraints(of: rule).compactMap {
        ConstraintJudgement($0, values: contenders[index].values($0.figure))
      }
      contenders[index].judgements = judgements
      contenders[index].comparison = nil
      if judgements.contains(where: fails) { contenders[index].fate = .infeasible }
    }
  }

  /// Returns whether a constraint is violated with the certainty required at this stop: with few seeds, only
  /// if an interval at the screening's level exceeds the limit, or if a single seed is enough.
  private func fails(_ judgement: ConstraintJudgement) -> Bool {
    guard judgement.outcome == .fails else { return false }
    guard isScreening, judgement.constraint.scope == .mean else { return true }
    guard let interval = judgement.interval?.at(level: level) else { return false }
    return !judgement.constraint.isKept(by: interval.low)
      && !judgement.constraint.isKept(by: interval.high)
  }

  /// Compares all remaining contenders with the best feasible one, and drops those that are worse.
  ///
  /// A leader with an undecided constraint drops none: if it violated it later, the dropped ones would have
  /// been right.
  private mutating func compare() {
    guard let best else { return }
    let zone = rule.zone.width(best: best.mean(rule.objective))
    for index in contenders.indices
    where contenders[index].isLeft && contenders[index].name != best.name {
      guard let behind = lead(of: best, over: contenders[index]) else { continue }
      let comparison = Standing.Comparison(reference: best.name, behind: behind, zone: zone)
      contenders[index].comparison = comparison
      let isDropped =
        isScreening ? isHopeless(contenders[index], by: comparison, best) : comparison.isDropped
      if isDropped { contenders[index].fate = .behind }
    }
  }

  /// Returns whether few seeds are enough: each of them, and the whole interval, clearly agree.
  ///
  /// An interval alone would not suffice. An effect that occurs in one of ten seeds is absent from five seeds
  /// in six of ten selections, and a contender that differs only by it has no spread until then.
  private func isHopeless(
    _ contender: ObservedContender, by comparison: Standing.Comparison, _ best: ObservedContender
  ) -> Bool {
    let differences = zip(best.values(rule.objective), contender.values(rule.objective))
      .map { rule.direction == .maximise ? $0 - $1 : $1 - $0 }
    return comparison.behind.low > comparison.zone
      && differences.allSatisfy { $0 > 2 * comparison.zone }
  }

  /// Returns the comparisons of any two that may differ by more than the zone; the best's first.
  ///
  /// Each must be within the zone of the best, and then within the zone of each other: if the best correlates
  /// with one of them, two others might be further apart than their intervals to it suggest.
  func pairsApart(of contenders: [ObservedContender]) -> [Standing.Comparison] {
    let apart = contenders.compactMap(\.comparison).filter { !$0.isWithinZone }
    guard apart.isEmpty, let zone = contenders.lazy.compactMap(\.comparison?.zone).first
    else { return apart }
    let others = contenders.filter { $0.comparison != nil }
    return others.indices.flatMap { index in
      others[..<index].compactMap { one in
        lead(of: one, over: others[index])
          .map { Standing.Comparison(reference: one.name, behind: $0, zone: zone) }
      }
    }.filter { !$0.isWithinZone }
  }

  /// The best mean of the remaining contenders that meet every constraint; the first of equals.
  var best: ObservedContender? {
    let feasible = left.filter(\.isFeasible)
    guard let most = feasible.map(gain(of:)).max() else { return nil }
    return feasible.first { gain(of: $0) == most }
  }

  /// Returns the objective's mean, with the sign such that more is better.
  private func gain(of contender: ObservedContender) -> Double {
    let mean = contender.mean(rule.objective)
    return rule.direction == .maximise ? mean : -mean
  }

  /// Returns how much better one contender's objective is than another's, over their common seeds.
  func lead(of one: ObservedContender, over other: ObservedContender) -> PairedInterval? {
    let common = min(one.sample.seedCount, other.sample.seedCount)
    let (own, others) = (
      Array(one.values(rule.objective).prefix(common)),
      Array(other.values(rule.objective).prefix(common))
    )
    return switch rule.direction {
    case .maximise: PairedInterval(of: own, less: others, level: level)
    case .minimise: PairedInterval(of: others, less: own, level: level)
    }
  }
}

/// Results without a recommendation.
extension Selection {
  /// The contenders that meet every constraint by their means.
  ///
  /// Their spread is unknown, so none is dropped by the objective.
  private var keepers: [ObservedContender] {
    left.filter { contender in
      contender.judgements.allSatisfy { $0.constraint.isKept(by: $0.value) }
    }
  }

  private func bestByMean(of contenders: [ObservedContender]) -> [String] {
    let most = contenders.map(gain(of:)).max()
    return contenders.filter { gain(of: $0) == most }.map(\.name)
  }

  private var bestOfFewUsers: Unvalidated {
    let best = bestByMean(of: keepers)
    let others = keepers.filter { !best.contains($0.name) }
    let next = bestByMean(of: others).first
    func contender(_ name: String?) -> ObservedContender? { keepers.first { $0.name == name } }
    let (first, second) = (contender(best.first), contender(next))
    return Unvalidated(
      best: best, runnerUp: next,
      lead: first.flatMap { first in second.map { gain(of: first) - gain(of: $0) } },
      mean: first.map { $0.mean(rule.objective) })
  }

  private var outcomeOfNobodyLeft: ShipVerdict.Outcome {
    // Dropped contenders had not violated a constraint at the time, so "none meets it" would be false.
    if contenders.contains(where: { $0.fate == .behind }) {
      return .notDecided(indecision(.leadersFailed))
    }
    return shortfall.map { .noneFeasible($0) } ?? .nobody
  }

  /// The contender nearest to meeting its constraints; `nil` if none was judged.
  private var shortfall: Shortfall? {
    let missed = contenders.filter { $0.fate == .infeasible }
      .map { contender in
        let broken = contender.judgements.filter { $0.outcome == .fails }
        let order = broken.indices.sorted { (miss(broken[$1]), $0) < (miss(broken[$0]), $1) }
        return Shortfall(nearest: contender.name, broken: order.map { broken[$0] })
      }
    let distances = missed.map { $0.broken.first.map(miss) ?? 0 }
    guard let least = distances.min() else { return nil }
    return zip(missed, distances).first { $0.1 == least }?.0
  }

  /// Returns how far a value exceeds a limit, as a share of it.
  private func miss(_ judgement: ConstraintJudgement) -> Double {
    let constraint = judgement.constraint
    // For a limit of zero, the largest value of all contenders is the measure.
    let largest = contenders.flatMap(\.judgements).filter { $0.constraint == constraint }
      .map { abs($0.value) }.max()
    let scale = constraint.limit == 0 ? largest ?? 1 : abs(constraint.limit)
    return constraint.excess(of: judgement.value) / scale
  }
}
