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
  private var seedsNeeded: Int? {
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
  /// - Returns: `nil` where it would be more than a billion, or the width is not positive.
  func count(forHalfWidth wanted: Double) -> Int? {
    /// What Student's factor for so many values asks for; it falls as there are more of them.
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
