/// A point in time: whole nanoseconds since an origin that the caller chose.
///
/// Nothing in the pure rooms reads a clock. A shell hands instants in: the actor from its injected
/// monotonic clock, the simulator from its virtual one.
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

  /// This instant moved by a duration; clamps at the ends of the range instead of overflowing.
  public func advanced(by duration: Duration) -> Instant {
    advanced(byNanoseconds: duration.wholeNanoseconds)
  }

  /// This instant moved by whole nanoseconds; clamps instead of overflowing.
  public func advanced(byNanoseconds nanoseconds: Int64) -> Instant {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return Instant(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The time from this instant to another; clamps instead of overflowing.
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
