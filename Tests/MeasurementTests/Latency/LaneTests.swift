import CacheModel
import NormalizedCache
import Synchronization
import Testing

@testable import Measurement

@Suite("Lanes", .timeLimit(.minutes(10)))
struct LaneTests {
  private func lane(events: Int, warmUp: Int) throws -> Lane {
    let library = FileLibrary(directories: 2, filesPerDirectory: 10, seed: 1)
    return Lane(
      name: "single/test",
      script: try EventScript(library: library, eventClass: .single, count: events),
      arrivals: ArrivalProcess(count: events, perSecond: 2_000, random: RandomSource(seed: 1)),
      warmUp: warmUp, clock: ContinuousCacheClock())
  }

  @Test("The control decodes every message, and its stamps are in order")
  func control() async throws {
    let lane = try lane(events: 40, warmUp: 10)
    let stamps = try await ControlLane(lane: lane).run(from: lane.clock.now)
    #expect(stamps.count == 30)
    #expect(stamps.allSatisfy { $0.areMonotone })
    let offsets = lane.arrivals.offsets.dropFirst(10)
    let first = try #require(stamps.first).intended.nanoseconds - (offsets.first ?? 0)
    // What was intended does not depend on when anything happened.
    #expect(zip(stamps, offsets).allSatisfy { $0.intended.nanoseconds - $1 == first })
  }

  @Test("An event that told nobody is an error that names the first")
  func missing() throws {
    let lane = try lane(events: 5, warmUp: 0)
    let stamps = Array(repeating: EventStamps(at: 1), count: 5)
    #expect(throws: LatencyRunError.notificationsMissing(lane: "single/test", count: 2, first: 3)) {
      try lane.counted(stamps) { $0 < 3 }
    }
  }

  @Test("A clock that goes back is an error")
  func order() throws {
    let lane = try lane(events: 3, warmUp: 0)
    var stamps = Array(repeating: EventStamps(at: 5), count: 3)
    stamps[1].decoded = Instant(nanoseconds: 4)
    #expect(throws: LatencyRunError.stampsOutOfOrder(lane: "single/test", event: 1)) {
      try lane.counted(stamps) { _ in true }
    }
  }

  @Test("A sleeper counts by how much it woke late; one long pause is as many samples as instants")
  func sleeper() async {
    let clock = LateClock(lateness: [0, 70, 0, 2_400_000])
    #expect(
      await Sleeper.lateness(clock: clock, from: .zero)
        == [0, 70, 0, 2_400_000, 1_400_000, 400_000])
  }

  @Test("A sender that is cancelled sends no more, and says so", .timeLimit(.minutes(10)))
  func cancelledSender() async throws {
    let lane = try lane(events: 4, warmUp: 0)
    let later = lane.clock.now.advanced(by: .seconds(3_600))
    let sending = Task { try await ControlLane(lane: lane).run(from: later) }
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }
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

extension EventStamps {
  fileprivate init(at nanoseconds: Int64) {
    let instant = Instant(nanoseconds: nanoseconds)
    self.init(
      intended: instant, received: instant, started: instant, decoded: instant,
      committed: instant, notified: instant)
  }
}
