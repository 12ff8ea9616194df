import CacheModel
import NormalizedCache

/// The machine's own noise: a task that sleeps for a millisecond, again and again, beside the lanes.
enum Sleeper {
  static let interval = Duration.milliseconds(1)

  /// By how many nanoseconds each sleep ended late, until the task is cancelled.
  static func lateness(clock: some CacheClock, from start: Instant) async -> [Int64] {
    var samples: [Int64] = []
    do {
      try await clock.sleep(until: start)
      while true {
        let due = clock.now.advanced(by: interval)
        try await clock.sleep(until: due)
        samples.append(max(clock.now.nanoseconds - due.nanoseconds, 0))
      }
    } catch {
      // Cancelled: the lanes are done.
      return samples
    }
  }
}
