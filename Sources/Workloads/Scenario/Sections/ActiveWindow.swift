/// A time in which a user acts.
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
