extension DesignPreset {
  /// A memory tier over files, as the library `TwoTierCache` ships it.
  ///
  /// The age and the count of writes are those of its design's document. The two times of the disk are
  /// assumptions: a read of some hundred kilobytes from flash memory, and a draft that is written and renamed,
  /// as long as a transaction of the normalized cache's storage takes here.
  package static let twoTier = DesignPreset(
    name: "two-tier",
    summary: "Memory over files: whole answers by request, an age of 1 h; takes no events.",
    fields: [
      PolicyField(
        "maximum-age", .duration(.zero ... .days(365)), standard: .duration(.seconds(3_600)),
        mayBeUnlimited: true, "how long a value is served, from when it was set"),
      PolicyField(
        "clean-up-writes", .count("writes", 1...1_000_000), standard: .number(100),
        mayBeUnlimited: true, "after how many writes files past their age are removed"),
      PolicyField(
        "clean-up-interval", .duration(.zero ... .days(365)), standard: .unlimited,
        mayBeUnlimited: true,
        "after how much time they are, at the next call"),
      PolicyField(
        "disk-read-time", .duration(.zero ... .seconds(10)), standard: .duration(.milliseconds(2)),
        "how long a value takes from its file to memory"),
      PolicyField(
        "disk-write-time", .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(10)),
        "how long a file takes to be written or removed"),
    ])
}
