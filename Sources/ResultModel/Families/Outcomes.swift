/// What became of each query read; the counts from `hit_fresh` to `failed` sum to `reads`, in every
/// class.
extension Metric {
  public static let reads = outcome("reads", .neutral, "Query reads that sessions made.")
  public static let hitFresh = outcome(
    "hit_fresh", .higherIsBetter,
    "Reads served complete and without waiting, equal to the ground truth.", needsGroundTruth: true)
  public static let hitStale = outcome(
    "hit_stale", .lowerIsBetter,
    "Reads served complete and without waiting, different from the ground truth.",
    needsGroundTruth: true)
  public static let partial = outcome(
    "partial", .lowerIsBetter,
    "Reads of what was known, while a row was not resident, or only as a summary where more is shown.",
    not: "miss_evicted: a known query with an evicted member counts here only.")
  public static let missCold = outcome(
    "miss_cold", .lowerIsBetter, "Reads of a query that had never been cached.")
  public static let missExpired = outcome(
    "miss_expired", .lowerIsBetter, "Reads of a query whose freshness lifetime had passed.")
  public static let missEvicted = outcome(
    "miss_evicted", .lowerIsBetter, "Reads of a query that had been dropped to make space.")
  public static let missInvalidated = outcome(
    "miss_invalidated", .lowerIsBetter,
    "Reads of a query that an event, a gap or the application had invalidated.")
  public static let coalesced = outcome(
    "coalesced", .neutral, "Reads that joined a fetch of the same query already in flight.")
  public static let bypass = outcome(
    "bypass", .neutral, "Reads that went past the cache by design.")
  public static let failed = outcome(
    "failed", .lowerIsBetter, "Reads with nothing to serve and no server that could be reached.")
  public static let hitRatio = Metric(
    name: "hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition: "Share of reads served without waiting: (hit_fresh + hit_stale) / reads.",
    notComparableWith:
      "The hit ratio of a key trace, which counts requests for single entries, not queries.")
  public static let freshHitRatio = Metric(
    name: "fresh_hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    isOfReads: true, needsGroundTruth: true,
    definition: "Share of reads served without waiting and true: hit_fresh / reads.",
    notComparableWith: "hit_ratio, which also counts what was served wrong.")

  private static func outcome(
    _ name: String, _ polarity: Polarity, _ definition: String, not: String? = nil,
    needsGroundTruth: Bool = false
  ) -> Metric {
    Metric(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact, isOfReads: true,
      needsGroundTruth: needsGroundTruth, definition: definition, notComparableWith: not)
  }
}

extension MetricRegistry {
  static let outcomes: [Metric] = [
    .reads, .hitFresh, .hitStale, .partial, .missCold, .missExpired, .missEvicted, .missInvalidated,
    .coalesced, .bypass, .failed, .hitRatio, .freshHitRatio,
  ]
}
