extension DesignPreset {
  private static let second: Int64 = 1_000_000_000
  private static let year: Int64 = 365 * 86_400 * second

  /// A memory tier over files, as the library `TwoTierCache` ships it.
  ///
  /// The age and the count of writes are those of its design's document. The two times of the disk are
  /// assumptions: a read of some hundred kilobytes from flash memory, and a draft that is written and renamed,
  /// as long as a transaction of the normalized cache's storage takes here.
  package static let twoTier = DesignPreset(
    name: "two-tier",
    summary: "Memory over files: whole answers by request, an age of 1 h; takes no events.",
    fields: [
      DesignField(
        "maximum-age", .duration(0...year), standard: .number(3_600 * second),
        mayBeUnlimited: true, "how long a value is served, from when it was set"),
      DesignField(
        "clean-up-writes", .count("writes", 1...1_000_000), standard: .number(100),
        mayBeUnlimited: true, "after how many writes files past their age are removed"),
      DesignField(
        "clean-up-interval", .duration(0...year), standard: .unlimited, mayBeUnlimited: true,
        "after how much time they are, at the next call"),
      DesignField(
        "disk-read-time", .duration(0...(10 * second)), standard: .number(2_000_000),
        "how long a value takes from its file to memory"),
      DesignField(
        "disk-write-time", .duration(0...(10 * second)), standard: .number(10_000_000),
        "how long a file takes to be written or removed"),
    ])
}
