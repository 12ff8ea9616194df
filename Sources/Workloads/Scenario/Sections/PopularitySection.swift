import Text

/// Which of many things is chosen how often.
package struct PopularitySection: Hashable, Sendable {
  package var distribution = Distribution.zipf
  /// The exponent of a Zipf distribution.
  package var exponent = 0.9
  /// The share of things that are hot.
  package var hotShare = 0.1
  /// The share of choices that fall on them.
  package var hotAccess = 0.9

  package init() {}

  package enum Distribution: String, CaseIterable, Sendable {
    /// All alike.
    case uniform
    /// The k-th most popular in proportion to 1/k to the power of the exponent.
    case zipf
    /// A few hot ones, alike among themselves, and the rest.
    case hotspot
  }
}

extension PopularitySection: ScenarioSection {
  static let fields: [Field<PopularitySection>] = [
    .choice("distribution", \.distribution, "uniform, zipf or hotspot"),
    .real("exponent", .number, \.exponent, 0.01...4, "exponent of zipf"),
    .share("hot-share", \.hotShare, "share of things that are hot, for hotspot"),
    .share("hot-access", \.hotAccess, "share of choices that fall on them, for hotspot"),
  ]
}
