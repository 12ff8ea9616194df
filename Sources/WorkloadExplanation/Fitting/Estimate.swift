import Workloads

/// A quantity that was told from observations, or the default that stands for it where they are too few.
package struct Estimate: Hashable, Sendable {
  package var value: Double
  /// How many were observed.
  package var count: Int
  /// How many it takes.
  package var needed: Int
  /// What was observed, such as `pauses`.
  package var noun: String
  /// Whether the observations told it.
  package var isMeasured: Bool

  /// - Parameters:
  ///   - measured: what the observations say; `nil` where they say nothing.
  ///   - count: how many there were.
  ///   - noun: what they were.
  ///   - needed: how many it takes; with fewer the default is used.
  ///   - standIn: the default.
  init(
    _ measured: Double?, from count: Int, _ noun: String, needed: Int, default standIn: Double
  ) {
    isMeasured = measured != nil && count >= needed
    value = isMeasured ? measured ?? standIn : standIn
    self.count = count
    self.needed = needed
    self.noun = noun
  }

  /// Where it comes from, as a comment has it.
  var origin: String {
    isMeasured
      ? "from \(Words.grouped(count)) \(noun)"
      : "the default: \(Words.grouped(count)) \(noun) are too few, \(Words.grouped(needed)) would tell"
  }
}

/// Quantiles of lists in ascending order.
enum SortedList {
  /// The value below which a share of the list lies; `nil` of an empty one.
  static func quantile<Value>(_ share: Double, of sorted: [Value]) -> Value? {
    sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }
}
