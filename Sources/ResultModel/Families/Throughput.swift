/// How fast the harness and the cache are, and how their cost grows.
extension Metric {
  package static let entityAccessesPerSecond = Metric(
    name: "entity_accesses_per_second", unit: .perSecond, polarity: .higherIsBetter,
    noiseClass: .sampled,
    definition: "Entity accesses simulated per second of wall clock on one core, oracle on.",
    notComparableWith: "Requests per second of a key trace, which has no queries and no oracle.")
  package static let operationsPerSecond = Metric(
    name: "operations_per_second", unit: .perSecond, polarity: .higherIsBetter,
    noiseClass: .sampled,
    definition: "Events and reads simulated per second of wall clock on one core, oracle on.",
    notComparableWith:
      "entity_accesses_per_second: one operation can touch thousands of entities.")
  package static let updateCostRatio = Metric(
    name: "update_cost_ratio", unit: .factor, polarity: .lowerIsBetter, noiseClass: .sampled,
    definition:
      "Median time of blocks of updates beside much of what the class names, over that beside little."
  )
  package static let insertionStallRatio = Metric(
    name: "insertion_stall_ratio", unit: .factor, polarity: .lowerIsBetter,
    noiseClass: .sampled,
    definition:
      "Longest over median time of an insertion at the limit while everything is retained.")
  package static let persistenceCostRatio = Metric(
    name: "persistence_cost_ratio", unit: .factor, polarity: .lowerIsBetter,
    noiseClass: .sampled,
    definition:
      "Median over turns of the p99 ratio of update_to_notify with a storage, steady or stalling, to without."
  )
  package static let operationCost = Metric(
    name: "operation_cost", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .sampled,
    definition:
      "Time of one event or read at the size that the class names: the median of its turns.",
    notComparableWith: "update_to_notify, which has waiting and decoding in it.")
  package static let operationTime = Metric(
    name: "operation_time", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .sampled,
    definition:
      "Time of one operation, back to back, in the fastest quarter of a process's blocks.",
    notComparableWith: "operation_cost, which is of other sizes and of several caches in turn.")
  package static let instructionsPerEvent = counted(
    "instructions_per_event", "Instructions of one event, counted by callgrind.")
  package static let instructionsPerRead = counted(
    "instructions_per_read", "Instructions of reading one listing, counted by callgrind.")
  package static let instructionsPerWrite = counted(
    "instructions_per_write", "Instructions of a user's change, its confirmation included.")
  package static let allocationsPerEvent = counted(
    "allocations_per_event", "Allocations of one event, counted by the allocator.")
  package static let allocationsPerRead = counted(
    "allocations_per_read", "Allocations of reading one listing, counted by the allocator.")
  package static let allocationsPerWrite = counted(
    "allocations_per_write", "Allocations of a user's change, its confirmation included.")
  package static let cacheOperationsPerSecond = Metric(
    name: "cache_operations_per_second", unit: .perSecond, polarity: .higherIsBetter,
    noiseClass: .sampled,
    definition: "Events or reads that one cache takes per second: the inverse of operation_cost.",
    notComparableWith: "operations_per_second, which is the simulator's.")
  package static let costExponent = Metric(
    name: "cost_exponent", unit: .count, polarity: .lowerIsBetter, noiseClass: .sampled,
    definition:
      "The exponent of a power law through cost and size, the median of the turns: 0 is flat, 1 linear."
  )
  package static let isCostFlat = Metric(
    name: "is_cost_flat", unit: .count, polarity: .higherIsBetter, noiseClass: .sampled,
    definition:
      "Whether cost_exponent is at most 0.1 (fan-out: 1.1): 1 if it is, 0 if the cost grows more."
  )

  private static func counted(_ name: String, _ definition: String) -> Metric {
    Metric(
      name: name, unit: .count, polarity: .lowerIsBetter, noiseClass: .counted,
      definition: definition)
  }
}

extension MetricRegistry {
  static let throughput: [Metric] = [
    .entityAccessesPerSecond, .operationsPerSecond, .updateCostRatio, .insertionStallRatio,
    .persistenceCostRatio, .operationCost, .cacheOperationsPerSecond, .costExponent, .isCostFlat,
    .operationTime, .instructionsPerEvent, .instructionsPerRead, .instructionsPerWrite,
    .allocationsPerEvent, .allocationsPerRead, .allocationsPerWrite,
  ]
}
