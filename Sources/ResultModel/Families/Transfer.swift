/// Network traffic, and its wasted part.
extension Metric {
  public static let fetches = Metric(
    name: "fetches", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Requests of queries, entities and missed events that left; without a link none does.")
  public static let notModified = Metric(
    name: "not_modified", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Answers that confirmed what the cache had, and did not repeat it.")
  public static let bytesFetched = bytes(
    "bytes_fetched", .lowerIsBetter,
    "Bytes of the responses to the requests of the cache: bytes_answers and bytes_catch_up.")
  public static let bytesOfAnswers = bytes(
    "bytes_answers", .lowerIsBetter,
    "Bytes of the responses that a read, a view or a write asked for.")
  public static let bytesOfCatchUp = bytes(
    "bytes_catch_up", .lowerIsBetter,
    "Bytes of missed events that were replayed, and of what was fetched again since a gap had invalidated it.",
    not:
      "bytes_fetched: a cache that never learns of a gap fetches nothing to catch up, and is stale."
  )
  public static let bytesPushed = bytes(
    "bytes_pushed", .neutral, "Bytes of the events that reached the cache.",
    not: "bytes_fetched: pushed bytes depend on the stream, not on the policy.")
  public static let bytesSaved = bytes(
    "bytes_saved", .higherIsBetter,
    "Bytes that reads would have fetched without a cache, less bytes_fetched: below zero if catching up outweighs hits.",
    not: "fetches alone: views that refresh also fetch, so that no-cache itself is below zero.")
  public static let bytesWastedIdentical = bytes(
    "bytes_wasted_identical", .lowerIsBetter,
    "Bytes fetched that were identical to what was already cached.")

  private static func bytes(
    _ name: String, _ polarity: Polarity, _ definition: String, not: String? = nil
  ) -> Metric {
    Metric(
      name: name, unit: .bytes, polarity: polarity, noiseClass: .exact, definition: definition,
      notComparableWith: not)
  }
}

extension MetricRegistry {
  static let transfer: [Metric] = [
    .fetches, .notModified, .bytesFetched, .bytesOfAnswers, .bytesOfCatchUp, .bytesPushed,
    .bytesSaved, .bytesWastedIdentical,
  ]
}

/// The amount of work of the simulated cache.
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

/// Notifications of observers, and how many were useful.
extension Metric {
  public static let notifications = notification(
    "notifications", .neutral, "Notifications delivered to observers.")
  public static let notificationsUseful = notification(
    "notifications_useful", .neutral,
    "Notifications after which the result of the observed query had really changed.")
  public static let notificationsSpurious = notification(
    "notifications_spurious", .lowerIsBetter,
    "Notifications after which the result of the observed query was what it had been.")
  public static let notificationsMissed = notification(
    "notifications_missed", .lowerIsBetter,
    "Changes of an observed result of which its observer was never notified.")

  private static func notification(
    _ name: String, _ polarity: Polarity, _ definition: String
  ) -> Metric {
    Metric(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact, definition: definition)
  }
}

extension MetricRegistry {
  static let notifications: [Metric] = [
    .notifications, .notificationsUseful, .notificationsSpurious, .notificationsMissed,
  ]
}
