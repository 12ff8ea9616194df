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
    MetricDescriptor(
      name: "operation_cost", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .sampled,
      definition:
        "Time of one event or read at the size that the class names: the median of its turns.",
      notComparableWith: "update_to_notify, which has waiting and decoding in it."),
    MetricDescriptor(
      name: "cache_operations_per_second", unit: .perSecond, polarity: .higherIsBetter,
      noiseClass: .sampled,
      definition: "Events or reads that one cache takes per second: the inverse of operation_cost.",
      notComparableWith: "operations_per_second, which is the simulator's."),
    MetricDescriptor(
      name: "cost_exponent", unit: .count, polarity: .lowerIsBetter, noiseClass: .sampled,
      definition:
        "The exponent of a power law through cost and size, the median of the turns: 0 is flat, 1 linear."
    ),
    MetricDescriptor(
      name: "is_cost_flat", unit: .count, polarity: .higherIsBetter, noiseClass: .sampled,
      definition:
        "Whether cost_exponent is at most 0.1 (fan-out: 1.1): 1 if it is, 0 if the cost grows more."
    ),
  ]
}
