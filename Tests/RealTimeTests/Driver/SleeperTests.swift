import CacheModel
import NormalizedCache
import Synchronization
import Testing

@testable import RealTime

@Suite("The sleeper")
struct SleeperTests {
  @Test("A sleeper counts by how much it woke late; one long pause is as many samples as instants")
  func sleeper() async {
    let clock = LateClock(lateness: [0, 70, 0, 2_400_000])
    #expect(
      await Sleeper.lateness(clock: clock, from: .zero)
        == [0, 70, 0, 2_400_000, 1_400_000, 400_000])
  }
}

/// Wakes late by given nanoseconds, once each, and then as if cancelled.
private final class LateClock: CacheClock {
  private let state: Mutex<(now: Instant, lateness: [Int64])>

  init(lateness: [Int64]) {
    state = Mutex((.zero, lateness))
  }

  var now: Instant { state.withLock { $0.now } }
  var wallClock: Instant { now }

  func sleep(until instant: Instant) async throws {
    try state.withLock { state in
      guard !state.lateness.isEmpty else { throw CancellationError() }
      state.now = instant.advanced(byNanoseconds: state.lateness.removeFirst())
    }
  }
}
