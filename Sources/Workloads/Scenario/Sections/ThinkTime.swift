import CacheModel
import Text

/// The time between two actions of a user.
package struct ThinkTime: Hashable, Sendable {
  package var mean = Duration.seconds(5)
  package var distribution = Distribution.paused

  package init() {}

  package enum Distribution: String, CaseIterable, Sendable {
    /// A tenth of the mean is fixed, the rest exponential: no one acts twice in an instant.
    case paused
    /// Without memory: the actions are a Poisson process.
    case exponential
  }
}

extension ThinkTime: ScenarioSection {
  static let fields: [Field<ThinkTime>] = [
    .duration("mean", \.mean, range, "mean time between two actions").required(),
    .choice(
      "distribution", \.distribution, "whether a tenth of it is fixed, or all of it is random"),
  ]

  private static let range: ClosedRange<Duration> = .milliseconds(1)...(.days(1))

  /// A field that holds a mean alone, or a section.
  static func field<Section>(
    _ name: String, _ path: FieldPath<Section, ThinkTime>, _ summary: String
  ) -> Field<Section> {
    let bounds = range.lowerBound.wholeNanoseconds...range.upperBound.wholeNanoseconds
    let mean = FieldForm.quantity(
      .duration, Double(bounds.lowerBound)...Double(bounds.upperBound))
    return Field(
      name: name, form: .section, summary: summary, scalarForm: mean,
      within: { ThinkTime.outlines }, initial: { Words.duration($0[keyPath: path].mean) }
    ) {
      if case .mapping = $1.content {
        $2.read($1, into: &$0[keyPath: path])
      } else {
        guard let mean = $2.whole($1, .duration, in: bounds) else { return }
        $0[keyPath: path].mean = .nanoseconds(mean)
      }
    }
  }
}
