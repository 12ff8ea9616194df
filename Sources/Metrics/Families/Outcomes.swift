/// What became of each query read; the counts from `hit_fresh` to `failed` sum to `reads`, in every
/// class.
extension MetricRegistry {
  static let outcomes: [MetricDescriptor] = [
    outcome("reads", .neutral, "Query reads that sessions made."),
    outcome(
      "hit_fresh", .higherIsBetter,
      "Reads served complete and without waiting, equal to the ground truth."),
    outcome(
      "hit_stale", .lowerIsBetter,
      "Reads served complete and without waiting, different from the ground truth."),
    outcome(
      "partial", .lowerIsBetter,
      "Reads whose query was known while at least one of its members was not resident.",
      not: "miss_evicted: a known query with an evicted member counts here only."),
    outcome("miss_cold", .lowerIsBetter, "Reads of a query that had never been cached."),
    outcome(
      "miss_expired", .lowerIsBetter, "Reads of a query whose freshness lifetime had passed."),
    outcome(
      "miss_evicted", .lowerIsBetter, "Reads of a query that had been dropped to make space."),
    outcome(
      "miss_invalidated", .lowerIsBetter,
      "Reads of a query that an event, a gap or the application had invalidated."),
    outcome(
      "coalesced", .neutral, "Reads that joined a fetch of the same query already in flight."),
    outcome("bypass", .neutral, "Reads that went past the cache by design."),
    outcome(
      "failed", .lowerIsBetter, "Reads with nothing to serve and no server that could be reached."),
    MetricDescriptor(
      name: "hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
      definition: "Share of reads served without waiting: (hit_fresh + hit_stale) / reads.",
      notComparableWith:
        "The hit ratio of a key trace, which counts requests for single entries, not queries."),
    MetricDescriptor(
      name: "fresh_hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
      definition: "Share of reads served without waiting and true: hit_fresh / reads.",
      notComparableWith: "hit_ratio, which also counts what was served wrong."),
  ]

  private static func outcome(
    _ name: String, _ polarity: Polarity, _ definition: String, not: String? = nil
  ) -> MetricDescriptor {
    MetricDescriptor(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact, definition: definition,
      notComparableWith: not)
  }
}
