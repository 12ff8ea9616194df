import CacheModel
import NormalizedCache

/// The machine's own noise: a task that wants to wake each millisecond, beside the lanes.
///
/// Its instants are fixed beforehand: a pause of 50 ms is fifty samples, as fifty events would feel it.
enum Sleeper {
  static let interval = Duration.milliseconds(1)

  /// By how many nanoseconds it woke late each time, until the task is cancelled.
  static func lateness(clock: some CacheClock, from start: Instant) async -> [Int64] {
    var samples: [Int64] = []
    var due = start
    do {
      while true {
        due = due.advanced(by: interval)
        if clock.now < due { try await clock.sleep(until: due) }
        try Task.checkCancellation()
        samples.append(max(clock.now.nanoseconds - due.nanoseconds, 0))
      }
    } catch {
      // Cancelled: the lanes are done.
      return samples
    }
  }
}
