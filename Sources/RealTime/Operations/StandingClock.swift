package import CacheModel
import NormalizedCache

/// A clock that stands still: what a cache does with the time is then the same in every run.
package struct StandingClock: CacheClock {
  package init() {}

  package var now: Instant { .zero }
  package var wallClock: Instant { .zero }

  package func sleep(until instant: Instant) async throws {
    try await Task.sleep(for: .seconds(1 << 30))
  }
}
