/// Looks for the highest rate that something keeps up with: doubles until it does not, then halves the
/// distance between the last rate that it did and the first that it did not, in proportion.
///
/// Decides which rate is tried next; who asks tries it, and says how it went. A bounded number of
/// trials.
struct RateSearch: Hashable, Sendable {
  /// The highest rate that was kept up with; `nil`: none yet.
  private(set) var sustained: Double?
  /// The lowest rate that was not; `nil`: none yet.
  private(set) var missed: Double?
  /// What to try; `nil`: the search is over.
  private(set) var next: Double?
  private let bounds: ClosedRange<Double>
  private var refinements: Int

  /// - Parameters:
  ///   - bounds: the rates that come into question, in events per second.
  ///   - first: the rate to begin with.
  ///   - refinements: how often the distance is halved: after n, the answer is at most a share of
  ///     2 ^ (1 / 2ⁿ) − 1 too low.
  init(in bounds: ClosedRange<Double>, from first: Double, refinements: Int) {
    precondition(bounds.contains(first) && bounds.lowerBound > 0, "no rate to begin with")
    self.bounds = bounds
    self.refinements = refinements
    next = first
  }

  /// Takes in how the trial of ``next`` went.
  mutating func note(isSustained: Bool) {
    guard let tried = next else { return }
    if isSustained { sustained = tried } else { missed = tried }
    switch (sustained, missed) {
    case (let low?, let high?): next = refined(low, high)
    case (let low?, nil): next = low < bounds.upperBound ? min(low * 2, bounds.upperBound) : nil
    case (nil, let high?): next = high > bounds.lowerBound ? max(high / 2, bounds.lowerBound) : nil
    case (nil, nil): next = nil
    }
  }

  private mutating func refined(_ low: Double, _ high: Double) -> Double? {
    guard refinements > 0 else { return nil }
    refinements -= 1
    return (low * high).squareRoot()
  }
}
