public import CacheModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where an actor takes its time from; tests hand in one that stands still.
public protocol CacheClock: Sendable {
  /// Monotonic: never goes back.
  var now: Instant { get }
  /// The time of day, counted from 1970: so that ages go on across a restart.
  ///
  /// It may be set forward or back at any time.
  var wallClock: Instant { get }
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(until instant: Instant) async throws
}

/// The machine's continuous clock, counted from when this value was made.
public struct ContinuousCacheClock: CacheClock {
  private let origin = ContinuousClock.now

  public init() {}

  public var now: Instant {
    #if os(Linux)
      // The clock behind `ContinuousClock`, whose durations of 128 bits take ten times as long to count.
      Instant(nanoseconds: Self.nanosecondsSinceBoot - nanosecondsAtOrigin)
    #else
      Instant(nanoseconds: origin.duration(to: .now).wholeNanoseconds)
    #endif
  }

  #if os(Linux)
    private let nanosecondsAtOrigin = Self.nanosecondsSinceBoot

    private static var nanosecondsSinceBoot: Int64 {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  #endif

  public var wallClock: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let seconds = Duration.seconds(Int64(time.tv_sec))
    return Instant.zero.advanced(by: seconds + .nanoseconds(Int64(time.tv_nsec)))
  }

  public func sleep(until instant: Instant) async throws {
    try await Task.sleep(
      until: origin.advanced(by: .nanoseconds(instant.nanoseconds)), clock: .continuous)
  }
}
