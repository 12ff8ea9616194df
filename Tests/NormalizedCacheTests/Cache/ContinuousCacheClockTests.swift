import CacheModel
import NormalizedCache
import Testing

@Suite("The machine's clock", .timeLimit(.minutes(30)))
struct ContinuousCacheClockTests {
  /// A driver subtracts the instant that it slept until: a sleep that ends early is a negative time.
  @Test("A sleep ends at its instant or later, by the clock's own count")
  func sleepsNotTooShort() async throws {
    for microseconds in [0, 1, 20, 300] {
      for _ in 0..<50 {
        // Each has an origin of its own.
        let clock = ContinuousCacheClock()
        let due = clock.now.advanced(by: .microseconds(microseconds))
        try await clock.sleep(until: due)
        #expect(clock.now >= due)
      }
    }
  }

  @Test("An instant that has passed is not waited for, but a cancelled task is told so")
  func passedInstant() async throws {
    let clock = ContinuousCacheClock()
    try await clock.sleep(until: Instant(nanoseconds: clock.now.nanoseconds - 1))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(until: .zero)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
