/// How full the cache was, and what it gave up for space.
extension Metric {
  public static let residentEntities = Metric(
    name: "resident_entities", unit: .count, polarity: .neutral, noiseClass: .exact,
    statistics: [.peak, .mean],
    definition: "Entities held by the cache, over virtual time.")
  public static let residentWeight = Metric(
    name: "resident_weight", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.peak, .mean],
    definition: "Weight of the entities held by the cache, over virtual time.",
    notComparableWith:
      "cache_total_bytes: weight is the payload's captured size, without the cache's overhead.")
  public static let predictedBytes = Metric(
    name: "predicted_bytes", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.peak],
    definition:
      "Memory of the whole cache, tables and values, as its layout and peak content give it.",
    notComparableWith:
      "cache_total_bytes, which is counted by the allocator and of typed values.")
  public static let cachedQueries = Metric(
    name: "cached_queries", unit: .count, polarity: .neutral, noiseClass: .exact,
    statistics: [.peak], definition: "Queries held by the query index, over virtual time.")
  public static let overLimit = Metric(
    name: "over_limit", unit: .ratio, polarity: .neutral, noiseClass: .exact,
    statistics: [.peak],
    definition:
      "Largest share of any limit in use after a commit, of all clients; above 1 it was exceeded.",
    notComparableWith:
      "The watermarks, which are shares of a limit. Without a limit of its own: of the scenario's."
  )
  public static let evictions = Metric(
    name: "evictions", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Entities removed to make space, and for no other cause.",
    notComparableWith: "Removals by expiry, invalidation, release or deletion.")
  public static let admissionRejections = Metric(
    name: "admission_rejections", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition:
      "Arrivals that a full cache turned away; absent under an admission that cannot reject.",
    notComparableWith: "Misses, since what is turned away was fetched or pushed all the same.")
  public static let retainedOverflow = Metric(
    name: "retained_overflow", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Insertions that went over capacity because all else was retained.")
}

extension MetricRegistry {
  static let residency: [Metric] = [
    .residentEntities, .residentWeight, .predictedBytes, .cachedQueries, .overLimit, .evictions,
    .admissionRejections, .retainedOverflow,
  ]
}
