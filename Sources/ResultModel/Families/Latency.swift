/// Latencies of the real actor in real time, one distribution per event class.
///
/// With fewer samples than `Statistic.fewestSamples` a quantile has no value.
extension Metric {
  package static let decode = stage(
    "decode", "Time from the start of the work on an event to decoded.")
  package static let apply = stage("apply", "Time from decoded to committed in the cache.")
  package static let notify = stage("notify", "Time from committed to the observer's call.")
  package static let updateToNotify = Metric(
    name: "update_to_notify", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .slo,
    statistics: quantiles,
    definition:
      "Time from received to the last observer's call, or to the commit where an event concerns "
      + "none; decoding included.",
    notComparableWith:
      "apply + notify, the cache's own share; quantiles of stages do not add up.",
    noiseControl: .controlNotify)
  package static let serverToUI = Metric(
    name: "server_to_ui", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .slo,
    statistics: quantiles,
    definition: "Time from the intended send to drawn at the next frame of a 60 Hz clock.",
    notComparableWith:
      "update_to_notify: a change waits half a frame, 8.3 ms, on average before it is drawn.",
    noiseControl: .controlToUI)
  package static let serviceTime = stage(
    "service_time", "Time from the start of the work on an event to the observer's call.",
    not: "Latency from the intended start, which also counts the wait behind earlier events.")
  package static let responseTime = stage(
    "response_time",
    "Time from the intended start of an event to the observer's call, whatever delayed it.",
    not: "service_time, which begins when the work does and hides every wait before it.")
  package static let generatorLateness = stage(
    "generator_lateness",
    "Time from the intended start of an event to the moment the driver sent it.")
  package static let controlNotify = stage(
    "control_notify",
    "Time from received to the call of an observer that decodes the bytes and has no cache.")
  package static let sleeperLateness = stage(
    "sleeper_lateness",
    "Time by which a task that wants to wake each millisecond on the same path woke late.")
  package static let uplink = stage(
    "uplink", "Time from a device's sending to the server having given the change its place.")
  package static let downlink = stage(
    "downlink",
    "Time from a change having its place to its whole line being in the client's hands.")
  package static let inboxWait = stage(
    "inbox_wait", "Time from a line in the client's hands to the start of the work on it.")
  package static let notifyToUI = stage(
    "notify_to_ui",
    "Time from the observer's call to every row that is shown having been drawn at the next frame.",
    not: "server_to_ui, which begins at the intended send.")
  package static let frameWait = stage(
    "frame_wait", "Time from the observer's call to the beginning of the next frame.")
  package static let draw = stage(
    "draw", "Time from the beginning of a frame to every row that it draws having been read.")
  package static let controlResponse = stage(
    "control_response",
    "Time from the intended send to the call of an observer that decodes the bytes and has no "
      + "cache.")
  package static let controlToUI = stage(
    "control_to_ui",
    "Time of control_response, and by how much the frame after it began too late.",
    not: "server_to_ui, which also has the wait for a punctual frame, and the drawing.")
  package static let achievedEventsPerSecond = Metric(
    name: "achieved_events_per_second", unit: .perSecond, polarity: .neutral,
    noiseClass: .sampled,
    definition:
      "Events per second at the last observer, over the middle nine tenths of a run over sockets.",
    notComparableWith: "cache_operations_per_second, which has no sockets and no decoding.")
  package static let readLatency = stage(
    "read_latency",
    "Time from the intended instant of a read to all rows of its listing, from the cache.",
    not: "operation_cost, which has no waiting and no timer in it.")
  package static let controlReadLatency = stage(
    "control_read_latency",
    "Time of read_latency on a cache with the same content that hears of no event.")
  package static let eventCost = Metric(
    name: "event_cost", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .slo,
    statistics: quantiles,
    definition:
      "Time from a decoded event to the call of the last of its observers, or to its commit.",
    notComparableWith: "update_to_notify, which includes decoding.",
    noiseControl: .controlEventCost)
  package static let controlEventCost = stage(
    "control_event_cost",
    "Time from a decoded event to the last of ten calls on an actor that has no cache.")
  package static let measuredHitRatio = Metric(
    name: "measured_hit_ratio", unit: .ratio, polarity: .neutral, noiseClass: .sampled,
    definition:
      "Share of the user's reads that the cache which was measured served without waiting.",
    notComparableWith: "hit_ratio, the simulator's; the two must agree within 1 point.")
  package static let updateToNotifyWithinTarget = Metric(
    name: "update_to_notify_share_within_target", unit: .ratio, polarity: .higherIsBetter,
    noiseClass: .sampled,
    definition: "Share of update_to_notify, or without a policy of its control, of at most 1 ms.")
  package static let serverToUIWithinTarget = Metric(
    name: "server_to_ui_share_within_target", unit: .ratio, polarity: .higherIsBetter,
    noiseClass: .sampled,
    definition: "Share of server_to_ui, or without a policy of its control, of at most 20 ms.")

  private static let quantiles: [Statistic] = [.p50, .p90, .p99, .p999, .max, .mean]

  private static func stage(
    _ name: String, _ definition: String, not: String? = nil
  ) -> Metric {
    Metric(
      name: name, unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .sampled,
      statistics: quantiles, definition: definition, notComparableWith: not)
  }
}

extension MetricRegistry {
  static let latency: [Metric] = [
    .decode, .apply, .notify, .updateToNotify, .serverToUI, .serviceTime, .responseTime,
    .generatorLateness, .controlNotify, .sleeperLateness, .uplink, .downlink, .inboxWait,
    .notifyToUI, .frameWait, .draw, .controlResponse, .controlToUI,
    .achievedEventsPerSecond, .readLatency, .controlReadLatency,
    .eventCost, .controlEventCost,
    .measuredHitRatio, .updateToNotifyWithinTarget, .serverToUIWithinTarget,
  ]
}
