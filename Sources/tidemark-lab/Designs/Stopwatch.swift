import CacheModel
import RealTime

/// Times what is awaited, on the monotonic clock.
enum Stopwatch {
  static func time(_ body: () async throws -> Void) async rethrows -> Int64 {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return start.duration(to: clock.now).wholeNanoseconds
  }

  /// Times each of so many calls.
  static func times(_ count: Int, _ body: (Int) async throws -> Void) async rethrows -> Distribution
  {
    var times = Distribution()
    for index in 0..<count { times.record(try await time { try await body(index) }) }
    return times
  }
}
