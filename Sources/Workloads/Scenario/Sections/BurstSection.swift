import Text

/// Trains of operations in quick succession, such as a paste or a synchronisation after a flight.
package struct BurstSection: Hashable, Sendable {
  /// The mean time between bursts.
  package var every = Duration.minutes(10)
  package var operations = 50
  /// The rate of operations within a burst.
  package var rate = 20.0

  package init() {}
}

extension BurstSection: ScenarioSection {
  static let fields: [Field<BurstSection>] = [
    .duration("every", \.every, .seconds(1)...(.days(30)), "mean time between bursts"),
    .count("operations", of: "operations", \.operations, 1...100_000, "operations in a burst"),
    .rate("rate", \.rate, 0.001...10_000, "rate of operations within a burst"),
  ]
}

extension ScenarioReader {
  /// Reports shares that are given but do not add up to one.
  mutating func checkSum(of shares: [Double], at place: SourcePlace?) {
    let total = shares.reduce(0, +)
    guard total != 0, total < 0.999_999 || total > 1.000_001 else { return }
    report(
      place, "the shares add up to \(Dimension.share.text(of: total))", "let them add up to 100 %")
  }
}
