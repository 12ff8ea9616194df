extension DesignPreset {
  private static let second: Int64 = 1_000_000_000
  private static let year: Int64 = 365 * 86_400 * second

  /// HTTP responses with tags, as the library `ResponseCache` ships it.
  ///
  /// The numbers are those of its design's document: 200 entries, 20 bodies in memory, a flush every 10 s, and
  /// the `max-age` of its example. The two times of the disk are the assumptions of ``twoTier``.
  package static let response = DesignPreset(
    name: "response-cache",
    summary: "HTTP responses with tags: max-age, ETag and 304, all valid offline; takes no events.",
    fields: [
      DesignField(
        "maximum-age", .duration(0...year), standard: .number(297 * second), mayBeUnlimited: true,
        "the max-age that the server sends"),
      DesignField(
        "maximum-entries", .count("entries", 0...1_000_000), standard: .number(200),
        "how many entries without a tag a sweep leaves"),
      DesignField(
        "memory-entries", .count("entries", 0...1_000_000), standard: .number(20),
        "how many bodies are in memory"),
      DesignField(
        "metadata", .choice(["manifest", "sidecars"]), standard: .word("manifest"),
        "where what is known of entries is written: one file, or one for each"),
      DesignField(
        "flush-interval", .duration(1_000_000...year), standard: .number(10 * second),
        "after how long a change of that is written; tags are at once"),
      DesignField(
        "sweep-interval", .duration(1_000_000...year), standard: .number(60 * second),
        mayBeUnlimited: true, "after how long entries are swept again"),
      DesignField(
        "stale-after", .choice(["server-error", "any-error"]), standard: .word("server-error"),
        "after which errors a stale body is served"),
      DesignField(
        "disk-read-time", .duration(0...(10 * second)), standard: .number(2_000_000),
        "how long a body takes from its file to memory"),
      DesignField(
        "disk-write-time", .duration(0...(10 * second)), standard: .number(10_000_000),
        "how long a file takes to be written or removed"),
    ])
}
