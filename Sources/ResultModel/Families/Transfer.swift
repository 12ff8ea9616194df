/// What crossed the network, and what of it was wasted.
extension Metric {
  public static let fetches = Metric(
    name: "fetches", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Requests of queries, entities and missed events that left; without a link none does.")
  public static let notModified = Metric(
    name: "not_modified", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Answers that confirmed what the cache had, and did not repeat it.")
  public static let bytesFetched = bytes(
    "bytes_fetched", .lowerIsBetter, "Bytes of the responses to the requests of the cache.")
  public static let bytesPushed = bytes(
    "bytes_pushed", .neutral, "Bytes of the events that reached the cache.",
    not: "bytes_fetched: pushed bytes depend on the stream, not on the policy.")
  public static let bytesSaved = bytes(
    "bytes_saved", .higherIsBetter,
    "Bytes that the reads would have fetched without a cache, less all bytes fetched here.",
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
    .fetches, .notModified, .bytesFetched, .bytesPushed, .bytesSaved, .bytesWastedIdentical,
  ]
}
