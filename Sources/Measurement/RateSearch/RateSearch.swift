/// Looks for the highest rate that meets what is asked of it: doubles until a rate is not met, then
/// halves the distance between the highest that was and the lowest that was not.
///
/// It decides and does nothing: ``next`` names the rate to try, ``tell(_:)`` takes what came of it. A
/// rate at which the machine could not decide is tried again, and is never taken for one that was met;
/// if it stays so, the search goes on below it. Runs are bounded by ``Plan/largestRuns``.
package struct RateSearch: Sendable {
  /// What came of a run at one rate.
  package enum Verdict: Hashable, Sendable, CaseIterable {
    case met
    case missed
    /// The machine's own noise was too large a part of a limit.
    case inconclusive
  }

  package struct Trial: Hashable, Sendable {
    package var rate: Double
    package var verdict: Verdict
  }

  /// Where the search begins, and where it ends whatever it has found.
  package struct Plan: Hashable, Sendable {
    package var first = 1_000.0
    /// At least 1, so that a rate is a whole number.
    package var lowest = 50.0
    package var highest = 32_000.0
    /// The lowest rate not met, over the highest met, that is close enough.
    package var resolution = 1.15
    package var largestRuns = 16
    /// How often a rate that could not be decided is tried again.
    package var repetitions = 2

    package init() {}
  }

  package let plan: Plan
  /// In order.
  package private(set) var trials: [Trial] = []
  /// Between these two the search goes on; every rate met is at most the first, every other one at
  /// least the second.
  private var met: Double?
  private var unmet: Double?
  /// The rate to try, and how often it was tried.
  private var current: (rate: Double, tries: Int)?

  package init(plan: Plan = Plan()) {
    precondition(plan.lowest > 0 && plan.resolution > 1 && plan.largestRuns > 0)
    self.plan = plan
    current = (min(max(plan.first, plan.lowest), plan.highest), 0)
  }

  /// The rate to try now, in events per second; `nil` when the search is over.
  package var next: Double? { trials.count < plan.largestRuns ? current?.rate : nil }

  /// Takes what came of a run at ``next``.
  ///
  /// - Precondition: the search is not over.
  package mutating func tell(_ verdict: Verdict) {
    guard let rate = next, let tries = current?.tries else {
      preconditionFailure("a verdict on a rate that was not asked for")
    }
    trials.append(Trial(rate: rate, verdict: verdict))
    switch verdict {
    case .met: met = rate
    case .missed: unmet = rate
    case .inconclusive:
      if tries < plan.repetitions {
        current = (rate, tries + 1)
        return
      }
      unmet = rate
    }
    current = following.map { ($0, 0) }
  }

  /// The rate after the one that has just been decided.
  private var following: Double? {
    switch (met, unmet) {
    case (let met?, nil):
      return met < plan.highest ? min(met * 2, plan.highest) : nil
    case (nil, let unmet?):
      return unmet > plan.lowest ? max(Self.rounded(unmet / 2), plan.lowest) : nil
    case (let met?, let unmet?):
      guard unmet / met > plan.resolution else { return nil }
      let middle = Self.rounded((met * unmet).squareRoot())
      return met < middle && middle < unmet ? middle : nil
    case (nil, nil):
      return plan.first
    }
  }

  /// To two digits, since a run does not tell 1,414 from 1,400.
  private static func rounded(_ rate: Double) -> Double {
    var unit = 1.0
    while rate / unit >= 100 { unit *= 10 }
    return (rate / unit).rounded() * unit
  }
}

extension RateSearch {
  /// What the search has found.
  package enum Finding: Hashable, Sendable {
    /// The highest rate met, and the lowest that was decided against it.
    case between(met: Double, missed: Double)
    /// The highest rate met; above it, from the second on, the machine could not decide.
    case undecidedAbove(met: Double, undecided: Double)
    /// Every rate was met, up to where the search ends.
    case metUpToTheEnd(Double)
    /// No rate was met; this is the lowest that was missed.
    case neverMet(missed: Double)
    /// No rate was met, and below this one, or anywhere, the machine could not decide.
    case inconclusive(lowest: Double)
    /// Nothing was tried.
    case nothing
  }

  /// What is known when the search is over, or when it was ended before.
  package var finding: Finding {
    let highestMet = trials.filter { $0.verdict == .met }.map(\.rate).max()
    // What was met at last is not undecided, whatever earlier tries said.
    let others = trials.filter { $0.rate > highestMet ?? 0 }
    let lowest = others.map(\.rate).min()
    let isMissed = others.contains { $0.rate == lowest && $0.verdict == .missed }
    return switch (highestMet, lowest) {
    case (nil, nil): .nothing
    case (let met?, nil): .metUpToTheEnd(met)
    case (let met?, let lowest?):
      isMissed ? .between(met: met, missed: lowest) : .undecidedAbove(met: met, undecided: lowest)
    case (nil, let lowest?): isMissed ? .neverMet(missed: lowest) : .inconclusive(lowest: lowest)
    }
  }

  /// The highest rate that met every target.
  package var highestMet: Double? {
    trials.filter { $0.verdict == .met }.map(\.rate).max()
  }

  /// The lowest rate at which a target was missed.
  package var lowestMissed: Double? {
    trials.filter { $0.verdict == .missed }.map(\.rate).min()
  }
}
