import CacheModel
import ResultModel

/// Decides which of two builds is faster, by alternating processes of both.
///
/// The unit is the process: all values of one share its addresses and the state of the machine. A round has
/// one process of each arm, and gives the ratios within it. A figure is worse, or better, if three things are
/// true: the signed-rank test of the logarithms of the ratios is significant, corrected for the number of
/// figures; the change is at least ``Rules/floor`` and an absolute floor; and a second series of other
/// processes confirms it. It is the same if the interval is within the floor: an equivalence test, not an
/// assumption. Everything else is inconclusive.
package struct BuildComparison: Sendable {
  package enum Arm: Int, Hashable, Sendable, CaseIterable {
    case baseline
    case candidate
    /// The baseline again: a difference from it is noise.
    case control
    /// The candidate, slowed down by ``Rules/canarySlowdown``: a series that misses this would miss a
    /// regression.
    case canary
  }

  package struct Rules: Sendable {
    /// The probability that any figure of one series is significant by chance.
    package var errorLevel = 0.05
    /// The smallest relevant change, as a share.
    package var floor = 0.05
    /// The smallest relevant change, in nanoseconds.
    package var absoluteFloor = 2.0
    package var canarySlowdown = 10
    /// The number of resamples for the smallest detectable change; 0: it is not estimated.
    package var powerResamples = 200

    package init() {}
  }

  /// The values of one figure: one of each round for each arm.
  package struct Series: Sendable {
    package let figure: FigureIdentity
    package var values: [[Double?]]

    /// - Parameters:
    ///   - figure: the figure.
    ///   - values: in the order of the arms; `nil` if a process gave no value.
    package init(_ figure: FigureIdentity, _ values: [[Double?]]) {
      self.figure = figure
      self.values = values
    }
  }

  private let rules: Rules

  package init(rules: Rules = Rules()) { self.rules = rules }

  /// Returns whether any figure of a series differs significantly, so that a second series is useful.
  package func wantsConfirmation(_ figures: [Series]) -> Bool {
    judge(figures, confirmation: nil).contains(where: \.outcome.isApart)
  }

  /// Judges each figure.
  ///
  /// - Parameters:
  ///   - figures: the first series.
  ///   - confirmation: the second series, with at least the arms baseline and candidate; `nil`: there was
  ///     none, and the results are those of the first.
  /// - Returns: one result for each figure, in order.
  package func judge(_ figures: [Series], confirmation: [Series]?) -> [MeasuredFinding] {
    let own = ratios(figures, .candidate, over: .baseline)
    let calls = calls(own, figures, over: .baseline)
    let noise = ratios(figures, .control, over: .baseline)
    let alarms = self.calls(noise, figures, over: .baseline)
    let canaries = self.calls(
      ratios(figures, .canary, over: .candidate), figures, over: .candidate)
    let confirmed = confirmation.map {
      self.calls(ratios($0, .candidate, over: .baseline), $0, over: .baseline)
    }
    return figures.indices.map { index in
      let figure = figures[index]
      guard let differences = own[index] else {
        return MeasuredFinding(
          figure: figure.figure, outcome: .error, reason: "a process gave no value")
      }
      let test = SignedRank(of: differences)
      let baseline = median(figure.values[Arm.baseline.rawValue])
      var finding = MeasuredFinding(
        figure: figure.figure, outcome: calls[index], baseline: baseline,
        candidate: baseline.map { $0 * (1 + share(test.estimate)) }, change: share(test.estimate))
      finding.interval = test.interval(level: 0.95).map {
        share($0.lowerBound)...share($0.upperBound)
      }
      finding.rounds = differences.count
      finding.detectable = noise[index].flatMap { detectable($0, among: figures.count) }
      finding.reason = doubt(
        calls[index], alarm: alarms[index], canary: canaries[index],
        confirmed: confirmed?[index] ?? calls[index], rounds: differences.count)
      if finding.reason != nil { finding.outcome = .inconclusive }
      return finding
    }
  }

  /// Returns why a result is unreliable, or missing; `nil` if it is reliable.
  private func doubt(
    _ call: MeasuredFinding.Outcome, alarm: MeasuredFinding.Outcome,
    canary: MeasuredFinding.Outcome, confirmed: MeasuredFinding.Outcome, rounds: Int
  ) -> String? {
    if call.isApart, confirmed != call { return "a second series did not confirm it" }
    if alarm.isApart { return "two runs of the baseline differed too" }
    if !call.isApart, canary != .worse {
      return "an added slowdown of \(rules.canarySlowdown) % was not detected either"
    }
    return call == .inconclusive ? "\(rounds) rounds are too few to decide" : nil
  }

  // MARK: One pair of arms

  /// Returns the logarithms of the ratios within each round; `nil` if a value is missing or not positive.
  private func ratios(_ figures: [Series], _ arm: Arm, over other: Arm) -> [[Double]?] {
    figures.map { figure in
      guard figure.values.indices.contains(max(arm.rawValue, other.rawValue)) else { return nil }
      let pairs = zip(figure.values[arm.rawValue], figure.values[other.rawValue])
      let ratios = pairs.compactMap { value, base -> Double? in
        guard let value, let base, value > 0, base > 0, (value / base).isNormal else { return nil }
        return PortableMath.log(value / base)
      }
      return ratios.isEmpty || ratios.count < figure.values[other.rawValue].count ? nil : ratios
    }
  }

  /// Judges each figure by one pair of arms: worse, better, same (``MeasuredFinding/Outcome/same``),
  /// inconclusive, or an error.
  private func calls(_ ratios: [[Double]?], _ figures: [Series], over base: Arm) -> [MeasuredFinding
    .Outcome]
  {
    let tests = ratios.map { $0.map(SignedRank.init) }
    let adjusted = HolmCorrection.adjusted(tests.map { $0?.pValue ?? 1 })
    return tests.indices.map { index in
      guard let test = tests[index],
        let center = median(figures[index].values[base.rawValue])
      else { return .error }
      return call(test, pValue: adjusted[index], center: center)
    }
  }

  private func call(_ test: SignedRank, pValue: Double, center: Double) -> MeasuredFinding.Outcome {
    let change = share(test.estimate)
    let isLarge = abs(change) >= rules.floor && abs(change) * center >= rules.absoluteFloor
    if pValue <= rules.errorLevel, isLarge { return change > 0 ? .worse : .better }
    // Two one-sided tests at the level are one interval at twice the level.
    guard let interval = test.interval(level: 1 - 2 * rules.errorLevel) else {
      return .inconclusive
    }
    let largest = max(abs(share(interval.lowerBound)), abs(share(interval.upperBound)))
    return largest < rules.floor || largest * center < rules.absoluteFloor ? .same : .inconclusive
  }

  // MARK: Power

  /// Returns the smallest change that nine of ten resamples of the noise would detect, at the strictest step
  /// of the correction.
  private func detectable(_ noise: [Double], among figures: Int) -> Double? {
    guard rules.powerResamples > 0 else { return nil }
    var random = RandomSource(seed: 1).substream("power")
    let resamples = (0..<rules.powerResamples).map { _ in
      noise.map { _ in noise[random.below(noise.count)] }
    }
    return Self.changes.first { change in
      let shift = PortableMath.log(1 + change)
      let seen = resamples.count { sample in
        let test = SignedRank(of: sample.map { $0 + shift })
        let pValue = min(1, test.pValue * Double(figures))
        return pValue <= rules.errorLevel && share(test.estimate) >= rules.floor
      }
      return seen * 10 >= resamples.count * 9
    }
  }

  /// The tested changes: from 5 % to 50 %.
  private static let changes = (5...50).map { Double($0) / 100 }

  /// Converts the logarithm of a ratio to a change.
  private func share(_ logarithm: Double) -> Double { PortableMath.exp(logarithm) - 1 }

  private func median(_ values: [Double?]) -> Double? {
    MedianInterval(values.compactMap { $0 })?.median
  }
}

/// Selects the rounds of a comparison of builds that were not disturbed by other processes.
///
/// Every process times a piece of work that is independent of the build. If another process ran on the same
/// core, that work took longer too, and by it alone a round is excluded, whichever of its processes was
/// disturbed: the builds' own times have no influence.
package struct RoundChoice: Sendable {
  /// How much longer the work may take than in the fastest process of all, as a share.
  package static let tolerance = 0.1

  /// The slowdown of each round's most disturbed process, compared with the fastest of all; zero if nothing
  /// was timed.
  package let excess: [Double]

  /// - Parameter controls: the times of the work in each round, one for each process; `nil` if a process gave
  ///   none.
  package init(controls: [[Double?]]) {
    let all = controls.joined().compactMap(\.self).filter { $0 > 0 }
    guard let fastest = all.min() else {
      excess = controls.map { _ in 0 }
      return
    }
    excess = controls.map { $0.compactMap(\.self).map { $0 / fastest - 1 }.max() ?? 0 }
  }

  package func isDisturbed(_ round: Int) -> Bool { excess[round] > Self.tolerance }

  package var undisturbed: Int { excess.indices.count { !isDisturbed($0) } }

  /// Returns the selected rounds, in order: the first undisturbed ones, and if there are too few, the least
  /// disturbed of the others.
  ///
  /// - Parameter wanted: the number of rounds.
  /// - Returns: their numbers; fewer if there are fewer.
  package func rounds(_ wanted: Int) -> [Int] {
    let order = excess.indices.sorted { first, second in
      let (one, other) = (isDisturbed(first), isDisturbed(second))
      if one != other { return other }
      return one && excess[first] != excess[second]
        ? excess[first] < excess[second] : first < second
    }
    return order.prefix(wanted).sorted()
  }
}
