import CacheModel

/// How far back the server can replay events to a client that missed some, and how it answers.
package struct ServerSection: Hashable, Sendable {
  package var replayEvents = 100
  package var replayAge = Duration.seconds(5)
  /// Whether an answer that is the same as the client has is not repeated.
  package var notModified = false

  package init() {}
}

extension ServerSection: ScenarioSection {
  static let fields: [Field<ServerSection>] = [
    .count(
      "replay-events", of: "events", \.replayEvents, 0...10_000_000, "most events kept for replay"),
    .duration(
      "replay-age", \.replayAge, .zero ... .days(365), "how long an event is kept for replay"),
    .flag(
      "not-modified", \.notModified,
      "whether an answer that the client has is only confirmed"),
  ]
}
