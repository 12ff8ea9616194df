/// The speed of the harness and the cache, and the growth of their cost.
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
      "Median time of blocks of updates with much unrelated state, named by the class, over the time with little."
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

/// A real cache under minutes of a bad network; see `tidemark measure soak`.
extension Metric {
  package static let soakDuration = soak(
    "soak_duration", .nanoseconds, .neutral, "How long events were sent.")
  package static let soakEventsPerSecond = soak(
    "soak_events_per_second", .perSecond, .neutral, "Events per second that were sent, open loop."
  )
  package static let soakEvents = soak("soak_events", .count, .neutral, "Events sent.")
  package static let soakEventsLost = soak(
    "soak_events_lost", .count, .neutral, "Events that the network lost, outages included.")
  package static let soakEventsLate = soak(
    "soak_events_late", .count, .neutral, "Events that later ones overtook, or might have.")
  package static let soakEventsDuplicated = soak(
    "soak_events_duplicated", .count, .neutral, "Events that arrived twice.")
  package static let soakGaps = soak(
    "soak_gaps", .count, .neutral, "Gaps that outlasted the reorder window.")
  package static let soakReconciles = soak(
    "soak_reconciles", .count, .neutral, "Times that missed events were asked for.")
  package static let soakResyncs = soak(
    "soak_resyncs", .count, .neutral, "Times that the whole library was marked stale.")
  package static let soakNotifications = soak(
    "soak_notifications", .count, .neutral, "Calls of observers.")
  package static let soakViewsChecked = soak(
    "soak_views_checked", .count, .neutral,
    "Comparisons of a view with the cache before it was notified of a change.")
  package static let soakNotificationsMissed = soak(
    "soak_notifications_missed", .count, .lowerIsBetter,
    "Comparisons in which a view showed something else than the cache had.")
  package static let soakDivergentQueries = soak(
    "soak_divergent_queries", .count, .lowerIsBetter,
    "Listings that at the end are not the server's.")
  package static let soakResidentBytes = soak(
    "soak_resident_bytes", .bytes, .lowerIsBetter,
    "Memory of the process, server included, at the last sample.")
  package static let soakMemoryGrowth = soak(
    "soak_memory_growth", .bytes, .lowerIsBetter,
    "Growth of the process's memory after the first quarter, along a line; the interval is 95 %.")

  private static func soak(
    _ name: String, _ unit: MetricUnit, _ polarity: Polarity, _ definition: String,
    not: String? = nil
  ) -> Metric {
    Metric(
      name: name, unit: unit, polarity: polarity, noiseClass: .sampled, definition: definition,
      notComparableWith: not)
  }
}

extension MetricRegistry {
  static let soak: [Metric] = [
    .soakDuration,
    .soakEventsPerSecond, .soakEvents, .soakEventsLost, .soakEventsLate, .soakEventsDuplicated,
    .soakGaps, .soakReconciles, .soakResyncs, .soakNotifications, .soakViewsChecked,
    .soakNotificationsMissed, .soakDivergentQueries, .soakResidentBytes, .soakMemoryGrowth,
  ]
}

/// The slowdown of an alternative compared with the cache under test, with the same events.
extension Metric {
  package static let applyRatio = ratio(of: .apply)
  package static let notifyRatio = ratio(of: .notify)
  package static let eventCostRatio = ratio(of: .eventCost)

  /// The metric that compares an alternative's stage with the cache's; `nil` if there is none.
  package var alternativeRatio: Metric? {
    switch self {
    case .apply: .applyRatio
    case .notify: .notifyRatio
    case .eventCost: .eventCostRatio
    default: nil
    }
  }

  private static func ratio(of stage: Metric) -> Metric {
    Metric(
      name: "\(stage.name)_ratio", unit: .factor, polarity: .higherIsBetter, noiseClass: .sampled,
      statistics: [.p50, .p99],
      definition:
        "An alternative's \(stage.name) over that of the cache under test, the median of all rounds.",
      notComparableWith:
        "A quotient of two rows of \(stage.name), which pool the samples of all rounds."
    )
  }
}

extension MetricRegistry {
  static let alternatives: [Metric] = [
    .applyRatio, .notifyRatio, .eventCostRatio,
  ]
}
