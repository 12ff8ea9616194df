public import CacheModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The source of an actor's time; a test can pass one that it advances itself.
public protocol CacheClock: Sendable {
  /// The monotonic time; it never goes back.
  var now: Instant { get }
  /// The time of day, counted from 1970, so that ages continue across a restart.
  ///
  /// It may be set forward or back at any time.
  var wallClock: Instant { get }
  /// Waits until ``now`` is at least the instant.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(until instant: Instant) async throws
}

/// The machine's continuous clock, counted from the creation of this value.
public struct ContinuousCacheClock: CacheClock {
  public init() {}

  #if os(Linux)
    private let nanosecondsAtOrigin = Self.nanosecondsSinceBoot

    public var now: Instant {
      Instant(nanoseconds: Self.nanosecondsSinceBoot - nanosecondsAtOrigin)
    }

    /// The clock behind `ContinuousClock`, whose 128-bit durations take ten times as long to compute.
    private static var nanosecondsSinceBoot: Int64 {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  #else
    private let origin = ContinuousClock.now

    public var now: Instant { Instant(nanoseconds: origin.duration(to: .now).wholeNanoseconds) }
  #endif

  public var wallClock: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let seconds = Duration.seconds(Int64(time.tv_sec))
    return Instant.zero.advanced(by: seconds + .nanoseconds(Int64(time.tv_nsec)))
  }

  public func sleep(until instant: Instant) async throws {
    let remaining = instant.nanoseconds - now.nanoseconds
    guard remaining > 0 else { return try Task.checkCancellation() }
    try await Task.sleep(for: .nanoseconds(remaining), clock: .continuous)
  }
}
