/// What became of a figure that is counted or timed, and so is not compared for equality.
package struct MeasuredFinding: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case worse
    /// It was not measured, or what was measured is no value.
    case error
    /// Neither told apart nor shown to be the same.
    case inconclusive
    case better
    case same

    /// Whether the two sides were told apart.
    package var isApart: Bool { self == .worse || self == .better }
    package var leavesDoubt: Bool { self == .error || self == .inconclusive }
  }

  package let figure: FigureIdentity
  package var outcome: Outcome
  package var baseline: Double?
  package var candidate: Double?
  /// As a share of the baseline; `nil` where that is zero.
  package var change: Double?
  /// Of the change, at 95 %; of a count there is none.
  package var interval: ClosedRange<Double>?
  /// How many processes stand behind each side.
  package var rounds = 1
  /// The least change that a series like this one would have told apart nine times of ten.
  package var detectable: Double?
  /// Why it is inconclusive, or an error.
  package var reason: String?

  package init(
    figure: FigureIdentity, outcome: Outcome, baseline: Double? = nil, candidate: Double? = nil,
    change: Double? = nil, reason: String? = nil
  ) {
    self.figure = figure
    self.outcome = outcome
    self.baseline = baseline
    self.candidate = candidate
    self.change = change
    self.reason = reason
  }
}
