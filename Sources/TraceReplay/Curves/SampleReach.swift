package import EvictionPolicies

/// What a sample of a trace's keys can tell.
///
/// A cache of `c` entities for the whole is one of `rate · c` for the sample, and chance decides which
/// of the popular keys are among those: of a few, the misses say more about the draw than about the
/// trace. A sample of all keys is the whole and tells everything.
package struct SampleReach: Hashable, Sendable {
  /// How many keys the sample has.
  package let keys: Int
  private let rate: Double
  /// The mean size of a line in bytes; 1 where the trace has no sizes.
  private let meanWeight: Double

  /// With fewer keys than this, errors of several points are common.
  package static let enoughKeys = 5_000
  /// A cache with room for fewer of the sample's entities tells nothing.
  package static let enoughRoom = 100

  /// - Returns: `nil` for a trace that is whole.
  package init?(of trace: InternedTrace) {
    guard let whole = trace.sampledFrom, whole.sampling.rate < 1 else { return nil }
    keys = trace.distinct
    rate = whole.sampling.rate
    let bytes = trace.weights.reduce(0) { $0 + Int($1) }
    meanWeight = max(1, Double(bytes) / Double(max(1, trace.weights.count)))
  }

  package var hasEnoughKeys: Bool { keys >= Self.enoughKeys }

  /// The rate at which there would be enough keys, rounded up to a hundredth; `nil`: at none below 1.
  package var rateWithEnoughKeys: Double? {
    let rate = self.rate * Double(Self.enoughKeys) / Double(max(1, keys))
    let rounded = (rate * 100).rounded(.up) / 100
    return rounded < 1 ? rounded : nil
  }

  /// Whether a cache of the capacity has room for enough of the sample.
  package func tells(of capacity: ReplayCapacity) -> Bool {
    switch capacity {
    case .entities(let count): Double(count) * rate >= Double(Self.enoughRoom)
    case .bytes(let count): Double(count) * rate >= Double(Self.enoughRoom) * meanWeight
    }
  }

  /// The smallest capacity in entities that the sample tells of.
  package var smallestEntities: Int { Int((Double(Self.enoughRoom) / rate).rounded(.up)) }
}
