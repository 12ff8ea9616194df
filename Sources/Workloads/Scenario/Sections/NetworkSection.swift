/// The effects of every link on events and requests.
package struct NetworkSection: Hashable, Sendable {
  /// Whether the server pushes events to clients.
  package var events = Events.push
  /// The minimum transit time of an event.
  package var delay = Duration.milliseconds(5)
  /// The mean of the additional, exponentially distributed time.
  package var jitter = Duration.milliseconds(5)
  /// The minimum round-trip time of a request.
  package var roundTrip = Duration.milliseconds(10)
  /// The mean of the additional, exponentially distributed time.
  package var roundTripJitter = Duration.milliseconds(10)
  /// The bandwidth of each direction; `nil`: unlimited.
  package var bandwidth: Int?
  /// The share of events that never arrive.
  package var loss = 0.0
  /// The share of events that later ones may overtake.
  package var reorder = 0.0
  /// The mean additional delay of those.
  package var reorderDelay = Duration.milliseconds(100)
  /// The share of events that arrive twice.
  package var duplicate = 0.0
  /// The share of events at which the link stalls, to deliver the accumulated events together later.
  package var stall = 0.0
  package var stallFor = Duration.seconds(2)
  /// The interval of announcements of the server's position.
  package var heartbeat = Duration.seconds(5)

  package init() {}

  package enum Events: String, CaseIterable, Sendable {
    /// Events and heartbeats are sent as they occur.
    case push
    /// Neither is ever sent: clients only know what they fetch.
    case none
  }
}

extension NetworkSection: ScenarioSection {
  static let fields: [Field<NetworkSection>] = [
    .choice("events", \.events, "whether the server sends events and heartbeats"),
    .duration("delay", \.delay, .zero ... .minutes(1), "least time that an event is under way"),
    .duration("jitter", \.jitter, .zero ... .minutes(1), "mean extra time of an event"),
    .duration("round-trip", \.roundTrip, .zero ... .minutes(1), "least time that a request takes"),
    .duration(
      "round-trip-jitter", \.roundTripJitter, .zero ... .minutes(1),
      "mean extra time of a request"),
    .bandwidth(
      "bandwidth", \.bandwidth, 1...1_000_000_000_000,
      "most bytes in each direction; absent: no limit"),
    .share("loss", \.loss, "share of events that never arrive"),
    .share("reorder", \.reorder, "share of events that later ones may overtake"),
    .duration(
      "reorder-delay", \.reorderDelay, .zero ... .minutes(10), "mean extra delay of those"),
    .share("duplicate", \.duplicate, "share of events that arrive twice"),
    .share("stall", \.stall, "share of events at which the link stops for a while"),
    .duration("stall-for", \.stallFor, .zero ... .hours(1), "how long it stops"),
    .duration(
      "heartbeat", \.heartbeat, .milliseconds(100)...(.hours(24)),
      "time between two announcements of the server's position"),
  ]

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if loss == 1 {
      reader.report(place, "all events are lost", "lower `loss`, or use a fault of kind partition")
    }
  }
}

/// How far back the server can replay missed events, and how it answers.
package struct ServerSection: Hashable, Sendable {
  package var replayEvents = 100
  package var replayAge = Duration.seconds(5)
  /// Whether an unchanged answer is confirmed instead of repeated.
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
