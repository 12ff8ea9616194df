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
        name: "maximum-age", form: .duration(.zero ... .days(365)),
        standard: .duration(.seconds(297)),
        mayBeUnlimited: true,
        summary: "the max-age that the server sends"),
      PolicyField(
        name: "maximum-entries", form: .count("entries", 0...1_000_000), standard: .number(200),
        summary: "how many entries without a tag a sweep leaves"),
      PolicyField(
        name: "memory-entries", form: .count("entries", 0...1_000_000), standard: .number(20),
        summary: "how many bodies are in memory"),
      PolicyField(
        name: "metadata", form: .choice(["manifest", "sidecars"]), standard: .word("manifest"),
        summary: "where what is known of entries is written: one file, or one for each"),
      PolicyField(
        name: "flush-interval", form: .duration(.milliseconds(1) ... .days(365)),
        standard: .duration(.seconds(10)),
        summary: "after how long a change of that is written; tags are at once"),
      PolicyField(
        name: "sweep-interval", form: .duration(.milliseconds(1) ... .days(365)),
        standard: .duration(.seconds(60)),
        mayBeUnlimited: true, summary: "after how long entries are swept again"),
      PolicyField(
        name: "stale-after", form: .choice(["server-error", "any-error"]),
        standard: .word("server-error"),
        summary: "after which errors a stale body is served"),
      PolicyField(
        name: "disk-read-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(2)),
        summary: "how long a body takes from its file to memory"),
      PolicyField(
        name: "disk-write-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(10)),
        summary: "how long a file takes to be written or removed"),
    ])
}
