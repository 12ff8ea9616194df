/// A point in time: whole nanoseconds since an origin that the caller chooses.
///
/// Pure computations read no clock. The caller passes instants: the actor from its injected monotonic clock,
/// the simulator from its virtual one.
public struct Instant: InstantProtocol, Hashable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The origin.
  public static let zero = Instant(nanoseconds: 0)
  /// Later than every instant that a run can reach (292 years).
  public static let distantFuture = Instant(nanoseconds: .max)

  public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// Returns this instant moved by a duration; clamps at the ends of the range instead of overflowing.
  public func advanced(by duration: Duration) -> Instant {
    advanced(byNanoseconds: duration.wholeNanoseconds)
  }

  /// Returns this instant moved by whole nanoseconds; clamps instead of overflowing.
  public func advanced(byNanoseconds nanoseconds: Int64) -> Instant {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return Instant(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// Returns the time from this instant to another; clamps instead of overflowing.
  public func duration(to other: Instant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    guard overflow else { return .nanoseconds(difference) }
    return .nanoseconds(other < self ? Int64.min : Int64.max)
  }
}

extension Duration {
  /// The whole nanoseconds in this duration, truncated towards zero and clamped to 64 bits.
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }

  /// This duration in seconds, to the nanosecond.
  package var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}

/// A seeded stream of random numbers with labelled sub-streams.
///
/// The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
/// 2018), seeded through SplitMix64. The same seed and labels give the same numbers on every machine. Draws
/// from one sub-stream do not affect another.
public struct RandomSource: RandomNumberGenerator, Sendable {
  private let seed: UInt64
  private var state: (UInt64, UInt64, UInt64, UInt64)

  public init(seed: UInt64) {
    self.seed = seed
    var mixer = seed
    state = (
      Self.mix(&mixer), Self.mix(&mixer), Self.mix(&mixer), Self.mix(&mixer)
    )
  }

  /// Returns the sub-stream of this source for a label and an index.
  ///
  /// It depends on this source's seed only, not on earlier draws.
  public func substream(_ label: StaticString, _ index: UInt64 = 0) -> RandomSource {
    // FNV-1a over the label, then the index and the parent's seed through SplitMix64.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    label.withUTF8Buffer { bytes in
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
    var mixer = hash ^ seed
    let first = Self.mix(&mixer)
    mixer = first ^ index
    return RandomSource(seed: Self.mix(&mixer))
  }

  public mutating func next() -> UInt64 {
    let result = Self.rotate(state.1 &* 5, by: 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = Self.rotate(state.3, by: 45)
    return result
  }

  /// Returns a whole number below `bound`, without bias beyond 2⁻⁶⁴ · bound.
  ///
  /// - Precondition: `bound` is positive.
  public mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "a random number below \(bound) does not exist")
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns a number in 0 ..< 1, in steps of 2⁻⁵³.
  public mutating func unit() -> Double {
    // The parentheses matter: `>>` binds tighter than `*` in Swift.
    Double(next() >> 11) * 0x1p-53
  }

  /// Returns true with the given probability; always draws exactly one number.
  public mutating func chance(_ probability: Double) -> Bool {
    unit() < probability
  }

  /// Returns a draw from the exponential distribution with the given mean.
  public mutating func exponential(mean: Double) -> Double {
    -mean * PortableMath.log(1 - unit())
  }

  private static func mix(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  private static func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
    (value << count) | (value >> (64 - count))
  }
}
