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
        name: "maximum-age", form: .duration(.zero ... .days(365)),
        standard: .duration(.seconds(3_600)),
        mayBeUnlimited: true, summary: "how long a value is served, from when it was set"),
      PolicyField(
        name: "clean-up-writes", form: .count("writes", 1...1_000_000), standard: .number(100),
        mayBeUnlimited: true, summary: "after how many writes files past their age are removed"),
      PolicyField(
        name: "clean-up-interval", form: .duration(.zero ... .days(365)), standard: .unlimited,
        mayBeUnlimited: true,
        summary: "after how much time they are, at the next call"),
      PolicyField(
        name: "disk-read-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(2)),
        summary: "how long a value takes from its file to memory"),
      PolicyField(
        name: "disk-write-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(10)),
        summary: "how long a file takes to be written or removed"),
    ])
}
