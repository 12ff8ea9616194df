/// A real cache for minutes over a bad network; see `tidemark measure soak`.
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
