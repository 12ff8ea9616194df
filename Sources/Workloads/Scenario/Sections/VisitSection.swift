import CacheModel

/// When a user is in front of the app, as with a phone: many short visits a day.
package struct VisitSection: Hashable, Sendable {
  /// The mean rate at which visits begin, a Poisson process.
  package var rate = 60.0 / 86_400
  /// The mean length of a visit; lengths are exponential.
  package var length = Duration.seconds(60)
  /// What becomes of the link between visits.
  package var between = Between.connected

  package init() {}

  package enum Between: String, CaseIterable, Sendable {
    /// The app runs on in the background, and hears of events.
    case connected
    /// The app is suspended: it hears of nothing until the next visit begins.
    case suspended
  }
}

extension VisitSection: ScenarioSection {
  static let fields: [Field<VisitSection>] = [
    .rate("rate", \.rate, 0.000_001...1, "mean rate at which visits begin").required(),
    .duration("length", \.length, .seconds(1)...(.days(1)), "mean length of a visit").required(),
    .choice("between", \.between, "what becomes of the link between visits"),
  ]
}
