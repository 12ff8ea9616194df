/// How much work the simulated cache was given.
extension Metric {
  public static let entityAccesses = work(
    "entity_accesses", "Entities read, written or looked at on behalf of reads and events.")
  public static let eventsApplied = work(
    "events_applied", "Events that the cache accepted, a batch counted once.",
    not: "event_items_applied: a batch of 1,000 is one event.")
  public static let eventItemsApplied = work(
    "event_items_applied", "Single changes within the events that the cache accepted.")
  public static let duplicatesIgnored = work(
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
