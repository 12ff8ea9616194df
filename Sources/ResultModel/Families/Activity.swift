/// How much work the simulated cache was given.
extension Metric {
  package static let entityAccesses = work(
    "entity_accesses", "Entities read, written or looked at on behalf of reads and events.")
  package static let eventsApplied = work(
    "events_applied", "Events that the cache accepted, a batch counted once.",
    not: "event_items_applied: a batch of 1,000 is one event.")
  package static let eventItemsApplied = work(
    "event_items_applied", "Single changes within the events that the cache accepted.")
  package static let duplicatesIgnored = work(
    "duplicates_ignored", "Events that the cache had seen before and did not apply again.")

  private static func work(
    _ name: String, _ definition: String, not: String? = nil
  ) -> Metric {
    Metric(
      name: name, unit: .count, polarity: .neutral, noiseClass: .exact, definition: definition,
      notComparableWith: not)
  }
}

extension MetricRegistry {
  static let activity: [Metric] = [
    .entityAccesses, .eventsApplied, .eventItemsApplied, .duplicatesIgnored,
  ]
}
