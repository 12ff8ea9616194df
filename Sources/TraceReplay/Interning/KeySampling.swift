/// A choice of keys by their hash: a key is in it or not, wherever it stands in whatever trace.
///
/// All requests of the chosen keys are kept, so that reuse is seen as it is, on a smaller scale: a
/// cache of `c` entities for the whole trace is one of `rate · c` for the sample.
///
/// Source: Waldspurger et al., "Efficient MRC construction with SHARDS", FAST 2015.
package struct KeySampling: Hashable, Sendable {
  /// The share of keys, from 0 to 1.
  package let rate: Double
  private let threshold: UInt64

  private static let modulus: UInt64 = 1 << 24

  /// Makes a sampling of one rate, rounded to a 2⁻²⁴.
  ///
  /// - Parameter rate: above 0, at most 1; `nil` is the answer to any other.
  package init?(rate: Double) {
    guard rate > 0, rate <= 1 else { return nil }
    threshold = max(1, UInt64((rate * Double(Self.modulus)).rounded()))
    self.rate = Double(threshold) / Double(Self.modulus)
  }

  func chooses(_ key: UInt64) -> Bool { chooses(hash: Self.mixed(key)) }

  /// A text by its bytes.
  func chooses(_ text: Span<UInt8>) -> Bool {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in text.indices { hash = (hash ^ UInt64(text[index])) &* 0x0000_0100_0000_01b3 }
    return chooses(hash: Self.mixed(hash))
  }

  private func chooses(hash: UInt64) -> Bool { hash & (Self.modulus - 1) < threshold }

  /// SplitMix64's finaliser: every bit of the key reaches every bit of the hash.
  private static func mixed(_ key: UInt64) -> UInt64 {
    var hash = key &+ 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }
}

/// What is known of a whole trace of which a sample is held.
package struct SampledFrom: Hashable, Sendable {
  package var sampling: KeySampling
  /// How many gets the whole trace has.
  package var gets: Int
}
