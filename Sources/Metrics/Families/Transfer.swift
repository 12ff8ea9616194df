/// What crossed the network, and what of it was wasted.
extension MetricRegistry {
  static let transfer: [MetricDescriptor] = [
    MetricDescriptor(
      name: "fetches", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
      definition: "Requests that the cache sent to the server, whatever for."),
    bytes(
      "bytes_fetched", .lowerIsBetter, "Bytes of the responses to the requests of the cache."),
    bytes(
      "bytes_pushed", .neutral, "Bytes of the events that reached the cache.",
      not: "bytes_fetched: pushed bytes depend on the stream, not on the policy."),
    bytes(
      "bytes_saved", .higherIsBetter,
      "Bytes that the reads would have fetched without a cache, less the bytes fetched here.",
      not: "A run with another seed: the bound is computed on the same stream."),
    bytes(
      "bytes_wasted_identical", .lowerIsBetter,
      "Bytes fetched that were identical to what was already cached."),
  ]

  private static func bytes(
    _ name: String, _ polarity: Polarity, _ definition: String, not: String? = nil
  ) -> MetricDescriptor {
    MetricDescriptor(
      name: name, unit: .bytes, polarity: polarity, noiseClass: .exact, definition: definition,
      notComparableWith: not)
  }
}
