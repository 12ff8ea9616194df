/// Whether the cache agrees with the ground truth once faults have ended, and what that cost.
extension MetricRegistry {
  static let consistency: [MetricDescriptor] = [
    finding(
      "divergent_entities", .lowerIsBetter,
      "Entities that differ from the ground truth at quiescence while the cache calls them fresh."),
    finding(
      "divergent_queries", .lowerIsBetter,
      "Queries that differ from the ground truth at quiescence while the cache calls them fresh."),
    MetricDescriptor(
      name: "time_to_consistency", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
      statistics: [.value, .p50, .p95, .max],
      definition: "Virtual time from the end of a fault until the cache agrees with the server.",
      notComparableWith: "Wall-clock recovery: links and fetches have the scenario's delays."),
    MetricDescriptor(
      name: "bytes_to_consistency", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
      definition: "Bytes fetched and replayed between the end of a fault and agreement."),
    finding(
      "gaps_detected", .neutral, "Holes in a stream's sequence that outlasted the reorder window."),
    finding(
      "false_gaps", .lowerIsBetter,
      "Gaps detected although the events were only late, and arrived afterwards."),
    finding("reconciles", .neutral, "Reconciliations that the cache started."),
    finding(
      "redundant_reconciles", .lowerIsBetter,
      "Reconciliations that found nothing that the cache did not hold."),
    finding(
      "resyncs", .lowerIsBetter,
      "Reconciliations that the server could only answer with a full resync."),
  ]

  private static func finding(
    _ name: String, _ polarity: Polarity, _ definition: String
  ) -> MetricDescriptor {
    MetricDescriptor(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact, definition: definition)
  }
}
