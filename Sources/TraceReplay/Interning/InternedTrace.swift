package import EvictionPolicies

/// A trace whose keys are numbered from 0 in the order of their first appearance.
///
/// Missing columns are empty; see ``OperationTrace``.
package struct InternedTrace: Hashable, Sendable {
  package let name: String
  /// The columns, as the input of a replay of operations.
  package let lines: OperationTrace
  /// The whole trace, if this is a sample; `nil`: it is complete.
  package var sampledFrom: SampledFrom?

  package init(
    name: String, ids: [UInt32], distinct: Int, operations: [TraceOperation] = [],
    weights: [Int32] = [], lifetimes: [Int64] = [], times: [Int64] = []
  ) {
    self.name = name
    lines = OperationTrace(
      ids: ids, distinct: distinct, operations: operations, weights: weights,
      lifetimes: lifetimes, times: times)
  }

  /// One number per line, each below ``distinct``.
  package var ids: [UInt32] { lines.ids }
  package var distinct: Int { lines.distinct }
  package var operations: [TraceOperation] { lines.operations }
  package var weights: [Int32] { lines.weights }
  package var lifetimes: [Int64] { lines.lifetimes }
  package var times: [Int64] { lines.times }

  package var columns: TraceColumns {
    var columns: TraceColumns = []
    if !operations.isEmpty { columns.insert(.operations) }
    if !weights.isEmpty { columns.insert(.weights) }
    if !lifetimes.isEmpty { columns.insert(.lifetimes) }
    if !times.isEmpty { columns.insert(.times) }
    return columns
  }

  /// The memory of the columns in bytes.
  package var bytes: Int {
    4 * ids.count + operations.count + 4 * weights.count + 8 * (lifetimes.count + times.count)
  }
}

/// A sample of keys by their hash, which includes a key or not in any trace.
///
/// It includes all requests of the chosen keys, so that reuse is preserved at a smaller scale: a cache of `c`
/// entities for the whole trace corresponds to `rate · c` for the sample.
///
/// Source: Waldspurger et al., "Efficient MRC construction with SHARDS", FAST 2015.
package struct KeySampling: Hashable, Sendable {
  /// The share of keys, from 0 to 1.
  package let rate: Double
  private let threshold: UInt64

  private static let modulus: UInt64 = 1 << 24

  /// Creates a sample with a rate, rounded to a multiple of 2⁻²⁴.
  package init?(rate: Double) {
    guard rate > 0, rate <= 1 else { return nil }
    threshold = max(1, UInt64((rate * Double(Self.modulus)).rounded()))
    self.rate = Double(threshold) / Double(Self.modulus)
  }

  func chooses(_ key: UInt64) -> Bool { chooses(hash: Self.mixed(key)) }

  /// Returns whether a text is included, by its bytes.
  func chooses(_ text: Span<UInt8>) -> Bool {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in text.indices { hash = (hash ^ UInt64(text[index])) &* 0x0000_0100_0000_01b3 }
    return chooses(hash: Self.mixed(hash))
  }

  private func chooses(hash: UInt64) -> Bool { hash & (Self.modulus - 1) < threshold }

  /// Returns SplitMix64's finalizer: every bit of the key affects every bit of the hash.
  private static func mixed(_ key: UInt64) -> UInt64 {
    var hash = key &+ 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }
}

/// Data of the whole trace of a sample.
package struct SampledFrom: Hashable, Sendable {
  package var sampling: KeySampling
  package var gets: Int
}
