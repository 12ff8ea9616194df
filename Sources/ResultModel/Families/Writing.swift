/// What becomes of what users change; in scenarios whose users do.
extension Metric {
  package static let writes = Metric(
    name: "writes", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Changes that users made.")
  package static let writesRefused = Metric(
    name: "writes_refused", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition:
      "Writes that the server refused, or that fell with one, and whose user was told so.")
  package static let writesFailed = Metric(
    name: "writes_failed", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes sent once to which no answer came, or that the cache did not take.")
  package static let writesUnacknowledged = Metric(
    name: "writes_unacknowledged", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes neither stored nor answered when the process ended, so that nobody knows.")
  package static let writesLost = Metric(
    name: "writes_lost", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Acknowledged writes that are neither in effect nor refused and told; must be 0.")
  package static let writesTwice = Metric(
    name: "writes_twice", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes that took effect at the server more than once; must be 0.")
  package static let writeShown = Metric(
    name: "write_shown", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time from a write until the cache shows it; none where it never did.")
  package static let writeConfirmed = Metric(
    name: "write_confirmed", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time from a write until its user knows that the server carried it out.")
  package static let writeWait = Metric(
    name: "write_wait", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time that a write waits in the outbox until it is first sent.")
}

extension MetricRegistry {
  static let writing: [Metric] = [
    .writes, .writesRefused, .writesFailed, .writesUnacknowledged, .writesLost, .writesTwice,
    .writeShown, .writeConfirmed, .writeWait,
  ]
}
