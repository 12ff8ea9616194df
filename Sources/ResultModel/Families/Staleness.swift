/// How wrong, and for how long, what was served had been.
extension Metric {
  public static let staleReadShare = Metric(
    name: "stale_read_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
    isOfReads: true, needsGroundTruth: true,
    definition: "Share of reads served different from the ground truth: hit_stale / reads.",
    notComparableWith:
      "served_expired: a read may be past its lifetime and true, or within it and stale.")
  public static let servedExpired = Metric(
    name: "served_expired", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition: "Reads served from the cache after their freshness lifetime had passed.",
    notComparableWith: "miss_expired, which counts reads that were not served for that reason.")
  public static let servedExpiredShare = Metric(
    name: "served_expired_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition:
      "Share of reads served after their freshness lifetime had passed: served_expired / reads.",
    notComparableWith: "stale_read_share: what has expired is often still true.")
  public static let stalenessAge = Metric(
    name: "staleness_age", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max], isOfReads: true, needsGroundTruth: true,
    definition:
      "Time since what was served had last equalled the ground truth, over the stale reads.",
    notComparableWith: "The age of a response, which also grows while nothing changes.")
}

extension MetricRegistry {
  static let staleness: [Metric] = [
    .staleReadShare, .servedExpired, .servedExpiredShare, .stalenessAge,
  ]
}
