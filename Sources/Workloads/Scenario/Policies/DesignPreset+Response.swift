extension DesignPreset {
  /// HTTP responses with tags, as the library `ResponseCache` ships it.
  ///
  /// The numbers are those of its design's document: 200 entries, 20 bodies in memory, a flush every 10 s, and
  /// the `max-age` of its example. The two times of the disk are the assumptions of ``twoTier``.
  package static let response = DesignPreset(
    name: "response-cache",
    summary: "HTTP responses with tags: max-age, ETag and 304, all valid offline; takes no events.",
    fields: [
      PolicyField(
        "maximum-age", .duration(.zero ... .days(365)), standard: .duration(.seconds(297)),
        mayBeUnlimited: true,
        "the max-age that the server sends"),
      PolicyField(
        "maximum-entries", .count("entries", 0...1_000_000), standard: .number(200),
        "how many entries without a tag a sweep leaves"),
      PolicyField(
        "memory-entries", .count("entries", 0...1_000_000), standard: .number(20),
        "how many bodies are in memory"),
      PolicyField(
        "metadata", .choice(["manifest", "sidecars"]), standard: .word("manifest"),
        "where what is known of entries is written: one file, or one for each"),
      PolicyField(
        "flush-interval", .duration(.milliseconds(1) ... .days(365)),
        standard: .duration(.seconds(10)),
        "after how long a change of that is written; tags are at once"),
      PolicyField(
        "sweep-interval", .duration(.milliseconds(1) ... .days(365)),
        standard: .duration(.seconds(60)),
        mayBeUnlimited: true, "after how long entries are swept again"),
      PolicyField(
        "stale-after", .choice(["server-error", "any-error"]), standard: .word("server-error"),
        "after which errors a stale body is served"),
      PolicyField(
        "disk-read-time", .duration(.zero ... .seconds(10)), standard: .duration(.milliseconds(2)),
        "how long a body takes from its file to memory"),
      PolicyField(
        "disk-write-time", .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(10)),
        "how long a file takes to be written or removed"),
    ])
}
