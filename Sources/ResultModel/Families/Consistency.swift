/// Whether the cache agrees with the ground truth once faults have ended, and what that cost.
extension Metric {
  public static let divergentEntities = finding(
    "divergent_entities", .lowerIsBetter,
    "Entities that differ from the ground truth at quiescence while the cache calls them fresh.",
    needsGroundTruth: true)
  public static let divergentQueries = finding(
    "divergent_queries", .lowerIsBetter,
    "Queries that differ from the ground truth at quiescence while the cache calls them fresh.",
    needsGroundTruth: true)
  public static let timeToConsistency = Metric(
    name: "time_to_consistency", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.value, .p50, .p95, .max],
    needsGroundTruth: true,
    definition: "Virtual time from the end of a fault until the cache agrees with the server.",
    notComparableWith: "Wall-clock recovery: links and fetches have the scenario's delays.")
  public static let bytesToConsistency = Metric(
    name: "bytes_to_consistency", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    needsGroundTruth: true,
    definition: "Bytes fetched and replayed between the end of a fault and agreement.")
  public static let gapsDetected = finding(
    "gaps_detected", .neutral, "Holes in a stream's sequence that outlasted the reorder window.")
  public static let falseGaps = finding(
    "false_gaps", .lowerIsBetter,
    "Gaps detected although the events were only late, and arrived afterwards.",
    needsGroundTruth: true)
  public static let reconciles = finding(
    "reconciles", .neutral,
    "Requests for missed events that the cache sent; one without a link does not leave.")
  public static let redundantReconciles = finding(
    "redundant_reconciles", .lowerIsBetter,
    "Reconciliations that found nothing that the cache did not hold.")
  public static let resyncs = finding(
    "resyncs", .lowerIsBetter,
    "Reconciliations that the server could only answer with a full resync.")

  private static func finding(
    _ name: String, _ polarity: Polarity, _ definition: String, needsGroundTruth: Bool = false
  ) -> Metric {
    Metric(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact,
      needsGroundTruth: needsGroundTruth, definition: definition)
  }
}

extension MetricRegistry {
  static let consistency: [Metric] = [
    .divergentEntities, .divergentQueries, .timeToConsistency, .bytesToConsistency, .gapsDetected,
    .falseGaps, .reconciles, .redundantReconciles, .resyncs,
  ]
}
