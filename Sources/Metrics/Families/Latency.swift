/// Real time on the real actor, one distribution per event class.
///
/// With fewer samples than `Statistic.fewestSamples` the value of a quantile is empty.
extension MetricRegistry {
  static let latency: [MetricDescriptor] = [
    stage("decode", "Time from the start of the work on an event to decoded."),
    stage("apply", "Time from decoded to committed in the cache."),
    stage("notify", "Time from committed to the observer's call."),
    MetricDescriptor(
      name: "update_to_notify", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .slo,
      statistics: quantiles,
      definition:
        "Time from received to the last observer's call, or to the commit where an event concerns "
        + "none; decoding included.",
      notComparableWith:
        "apply + notify, the cache's own share; quantiles of stages do not add up.",
      noiseControl: "control_notify"),
    MetricDescriptor(
      name: "server_to_ui", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .slo,
      statistics: quantiles,
      definition: "Time from the intended send to drawn at the next frame of a 60 Hz clock.",
      notComparableWith:
        "update_to_notify: a change waits half a frame, 8.3 ms, on average before it is drawn.",
      noiseControl: "control_to_ui"),
    stage(
      "service_time", "Time from the start of the work on an event to the observer's call.",
      not: "Latency from the intended start, which also counts the wait behind earlier events."),
    stage(
      "response_time",
      "Time from the intended start of an event to the observer's call, whatever delayed it.",
      not: "service_time, which begins when the work does and hides every wait before it."),
    stage(
      "generator_lateness",
      "Time from the intended start of an event to the moment the driver sent it."),
    stage(
      "control_notify",
      "Time from received to the call of an observer that decodes the bytes and has no cache."),
    stage(
      "sleeper_lateness",
      "Time by which a task that wants to wake each millisecond on the same path woke late."),
    stage(
      "uplink", "Time from a device's sending to the server having given the change its place."),
    stage(
      "downlink",
      "Time from a change having its place to its whole line being in the client's hands."),
    stage("inbox_wait", "Time from a line in the client's hands to the start of the work on it."),
    stage(
      "notify_to_ui",
      "Time from the observer's call to every row that is shown having been drawn at the next frame.",
      not: "server_to_ui, which begins at the intended send."),
    stage("frame_wait", "Time from the observer's call to the beginning of the next frame."),
    stage(
      "draw", "Time from the beginning of a frame to every row that it draws having been read."),
    stage(
      "control_response",
      "Time from the intended send to the call of an observer that decodes the bytes and has no "
        + "cache."),
    stage(
      "control_to_ui",
      "Time of control_response, and by how much the frame after it began too late.",
      not: "server_to_ui, which also has the wait for a punctual frame, and the drawing."),
    MetricDescriptor(
      name: "resume_time", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .sampled,
      definition:
        "Time from the loss of a connection to the cache having caught up with the server."),
    MetricDescriptor(
      name: "replayed_events", unit: .count, polarity: .neutral, noiseClass: .sampled,
      definition:
        "Events of a run over sockets that came after a lost connection, and have no latency."),
    MetricDescriptor(
      name: "achieved_events_per_second", unit: .perSecond, polarity: .neutral,
      noiseClass: .sampled,
      definition:
        "Events per second at the last observer, over the middle nine tenths of a run over sockets.",
      notComparableWith: "cache_operations_per_second, which has no sockets and no decoding."),
    MetricDescriptor(
      name: "highest_met_events_per_second", unit: .perSecond, polarity: .higherIsBetter,
      noiseClass: .sampled,
      definition: "Highest rate of events over sockets that met every target of latency."),
    MetricDescriptor(
      name: "lowest_missed_events_per_second", unit: .perSecond, polarity: .higherIsBetter,
      noiseClass: .sampled,
      definition: "Lowest rate of events over sockets at which a target of latency was missed."),
    stage(
      "read_latency",
      "Time from the intended instant of a read to all rows of its listing, from the cache.",
      not: "operation_cost, which has no waiting and no timer in it."),
    stage(
      "control_read_latency",
      "Time of read_latency on a cache with the same content that hears of no event."),
    MetricDescriptor(
      name: "resumed_events", unit: .count, polarity: .neutral, noiseClass: .sampled,
      definition: "The newest event in the storage of a client that was killed, when it came back."),
    MetricDescriptor(
      name: "refetched_listings", unit: .count, polarity: .lowerIsBetter, noiseClass: .sampled,
      definition:
        "Listings that a client asked for anew after it was killed; its storage had the rest."),
    MetricDescriptor(
      name: "observer_blocks", unit: .count, polarity: .neutral, noiseClass: .sampled,
      definition:
        "Times that an observer's callback blocked the cache for 200 ms, as it was told to."),
    MetricDescriptor(
      name: "event_cost", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .slo,
      statistics: quantiles,
      definition:
        "Time from a decoded event to the call of the last of its observers, or to its commit.",
      notComparableWith: "update_to_notify, which includes decoding.",
      noiseControl: "control_event_cost"),
    stage(
      "control_event_cost",
      "Time from a decoded event to the last of ten calls on an actor that has no cache."),
    stage(
      "write_to_shown",
      "Time from a user's change to its observer's call, beside as many as wait for the server.",
      not: "update_to_notify, of a change made elsewhere."),
    stage(
      "write_to_settled",
      "Time from a user's change to the server's answer being in the cache; the server answers at once."
    ),
    MetricDescriptor(
      name: "write_growth_ratio", unit: .factor, polarity: .lowerIsBetter, noiseClass: .sampled,
      definition:
        "Median time of a user's change beside 1,000 that wait, over that beside one."),
    MetricDescriptor(
      name: "measured_hit_ratio", unit: .ratio, polarity: .neutral, noiseClass: .sampled,
      definition:
        "Share of the user's reads that the cache which was measured served without waiting.",
      notComparableWith: "hit_ratio, the simulator's; the two must agree within 1 point."),
    MetricDescriptor(
      name: "share_within_target", unit: .ratio, polarity: .higherIsBetter, noiseClass: .sampled,
      definition:
        "Share of the samples of a class that are at most the target of its latency metric."),
  ]

  private static let quantiles: [Statistic] = [.p50, .p90, .p99, .p999, .max, .mean]

  private static func stage(
    _ name: String, _ definition: String, not: String? = nil
  ) -> MetricDescriptor {
    MetricDescriptor(
      name: name, unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .sampled,
      statistics: quantiles, definition: definition, notComparableWith: not)
  }
}
