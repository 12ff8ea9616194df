import CacheModel
import Text

/// The visits of a user to the app, as with a phone: many short ones a day.
package struct VisitSection: Hashable, Sendable {
  /// The mean rate at which visits begin, a Poisson process.
  package var rate = 60.0 / 86_400
  /// The mean length of a visit; exponentially distributed.
  package var length = Duration.seconds(60)
  /// The state of the link between visits.
  package var between = Between.connected

  package init() {}

  package enum Between: String, CaseIterable, Sendable {
    /// The app runs in the background, and receives events.
    case connected
    /// The app is suspended: it receives nothing until the next visit begins.
    case suspended
  }
}

extension VisitSection: ScenarioSection {
  static let fields: [Field<VisitSection>] = [
    .rate("rate", \.rate, 0.000_001...1, "mean rate at which visits begin").required(),
    .duration("length", \.length, .seconds(1)...(.days(1)), "mean length of a visit").required(),
    .choice("between", \.between, "state of the link between visits"),
  ]
}

/// The time between two actions of a user.
package struct ThinkTime: Hashable, Sendable {
  package var mean = Duration.seconds(5)
  package var distribution = Distribution.paused

  package init() {}

  package enum Distribution: String, CaseIterable, Sendable {
    /// A tenth of the mean is constant, the rest exponential: no user acts twice in an instant.
    case paused
    /// Memoryless: the actions are a Poisson process.
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

package struct ActiveWindow: Hashable, Sendable {
  package var at = Duration.zero
  package var length = Duration.minutes(10)

  package init() {}
}

extension ActiveWindow: ScenarioSection {
  static let fields: [Field<ActiveWindow>] = [
    .duration("at", \.at, .zero ... .days(30), "when it begins").required(),
    .duration("for", \.length, .seconds(1)...(.days(30)), "how long it lasts").required(),
  ]
}

extension ScenarioReader {
  mutating func checkOrder(of windows: [ActiveWindow], at place: SourcePlace?) {
    for (earlier, later) in zip(windows, windows.dropFirst())
    where later.at < earlier.at + earlier.length {
      report(place, "two active windows overlap", "write them in order of time")
    }
  }
}

/// Bursts of operations in quick succession, such as a paste or a synchronisation after a flight.
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
  /// Reports shares that are given but do not sum to one.
  mutating func checkSum(of shares: [Double], at place: SourcePlace?) {
    let total = shares.reduce(0, +)
    guard total != 0, total < 0.999_999 || total > 1.000_001 else { return }
    report(
      place, "the shares add up to \(Dimension.share.text(of: total))", "let them add up to 100 %")
  }
}
