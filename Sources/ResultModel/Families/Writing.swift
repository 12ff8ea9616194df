/// What becomes of what users change; in scenarios whose users do.
extension Metric {
  public static let writes = Metric(
    name: "writes", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Changes that users made.")
  public static let writesRefused = Metric(
    name: "writes_refused", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition:
      "Writes that the server refused, or that fell with one, and whose user was told so.")
  public static let writesFailed = Metric(
    name: "writes_failed", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes sent once to which no answer came, or that the cache did not take.")
  public static let writesUnacknowledged = Metric(
    name: "writes_unacknowledged", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes neither stored nor answered when the process ended, outcome unknown.")
  public static let writesLost = Metric(
    name: "writes_lost", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Acknowledged writes that are neither in effect nor refused and told; must be 0.")
  public static let duplicateWrites = Metric(
    name: "duplicate_writes", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes that took effect at the server more than once; must be 0.")
  public static let writeVisibleLatency = Metric(
    name: "write_visible_latency", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time from a write until the cache shows it; none where it never did.")
  public static let writeConfirmed = Metric(
    name: "write_confirmed", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time from a write until its user knows that the server carried it out.")
  public static let writeWait = Metric(
    name: "write_wait", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time that a write waits in the outbox until it is first sent.")
}

extension MetricRegistry {
  static let writing: [Metric] = [
    .writes, .writesRefused, .writesFailed, .writesUnacknowledged, .writesLost, .duplicateWrites,
    .writeVisibleLatency, .writeConfirmed, .writeWait,
  ]
}
