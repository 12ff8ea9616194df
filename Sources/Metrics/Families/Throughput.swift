/// How fast the harness and the cache are, and how their cost grows.
extension MetricRegistry {
  static let throughput: [MetricDescriptor] = [
    MetricDescriptor(
      name: "entity_accesses_per_second", unit: .perSecond, polarity: .higherIsBetter,
      noiseClass: .sampled,
      definition: "Entity accesses simulated per second of wall clock on one core, oracle on.",
      notComparableWith: "Requests per second of a key trace, which has no queries and no oracle."),
    MetricDescriptor(
      name: "operations_per_second", unit: .perSecond, polarity: .higherIsBetter,
      noiseClass: .sampled,
      definition: "Events and reads simulated per second of wall clock on one core, oracle on.",
      notComparableWith:
        "entity_accesses_per_second: one operation can touch thousands of entities."),
    MetricDescriptor(
      name: "update_cost_ratio", unit: .factor, polarity: .lowerIsBetter, noiseClass: .sampled,
      definition:
        "Median time of an update beside much of what the class names, over that beside little."),
    MetricDescriptor(
      name: "insertion_stall_ratio", unit: .factor, polarity: .lowerIsBetter,
      noiseClass: .sampled,
      definition:
        "Longest over median time of an insertion at the limit while everything is retained."),
    MetricDescriptor(
      name: "persistence_cost_ratio", unit: .factor, polarity: .lowerIsBetter,
      noiseClass: .sampled,
      definition:
        "Ratio of p99 of update_to_notify with a storage, steady or stalling for 50 ms, to that without."
    ),
  ]
}
