package import CacheModel
import NormalizedCache

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The machine's monotonic clock, counted from its own origin, which is the same in all processes.
///
/// So two processes on the same machine can compare instants in messages. They are invalid on another
/// machine, or after a restart.
package struct MonotonicClock: CacheClock {
  package init() {}

  package var now: Instant { Self.read(Self.clock) }

  package var wallClock: Instant { Self.read(CLOCK_REALTIME) }

  package func sleep(until instant: Instant) async throws {
    let remaining = instant.nanoseconds - now.nanoseconds
    guard remaining > 0 else { return try Task.checkCancellation() }
    try await Task.sleep(for: .nanoseconds(remaining), tolerance: .zero, clock: .continuous)
  }

  #if canImport(Darwin)
    private static var clock: clockid_t { CLOCK_UPTIME_RAW }
  #else
    private static var clock: clockid_t { CLOCK_MONOTONIC }
  #endif

  private static func read(_ clock: clockid_t) -> Instant {
    var time = timespec()
    clock_gettime(clock, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

/// The limit for the process's open files and sockets.
package enum FileLimit {
  /// Raises it to the maximum without privileges.
  package static func raise() {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}
