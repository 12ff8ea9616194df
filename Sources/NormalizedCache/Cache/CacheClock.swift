public import CacheModel

/// Where an actor takes its time from; tests hand in one that stands still.
public protocol CacheClock: Sendable {
  /// Monotonic: never goes back.
  var now: Instant { get }
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(until instant: Instant) async throws
}

/// The machine's continuous clock, counted from when this value was made.
public struct ContinuousCacheClock: CacheClock {
  private let origin = ContinuousClock.now

  public init() {}

  public var now: Instant {
    Instant(nanoseconds: origin.duration(to: .now).wholeNanoseconds)
  }

  public func sleep(until instant: Instant) async throws {
    try await Task.sleep(
      until: origin.advanced(by: .nanoseconds(instant.nanoseconds)), clock: .continuous)
  }
}
