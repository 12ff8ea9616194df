import CacheModel
import NormalizedCache

/// The same bytes on the same path without a cache.
struct ControlLane {
  let lane: Lane

  func run(from start: Instant) async throws -> [EventStamps] {
    let stamps = ObserverStamps()
    let clock = lane.clock
    let notifier = ControlNotifier { _ in stamps.notify(at: clock.now) }
    let events = try await lane.run(from: start, stamps: stamps) { envelope in
      await notifier.receive(envelope) { stamps.commit(at: clock.now) }
    }
    return try lane.counted(events.map(\.stamps)) { events[$0].calls == 1 }
  }
}

/// What remains of the path when the cache is taken away: an actor that is handed the decoded event
/// and calls its observer. What it takes is the machine's time, not the cache's.
private actor ControlNotifier {
  private let observer: @Sendable (isolated ControlNotifier) -> Void

  init(observer: @escaping @Sendable (isolated ControlNotifier) -> Void) {
    self.observer = observer
  }

  func receive(_ envelope: EventEnvelope<FilePayload>, committed: @Sendable () -> Void) {
    committed()
    observer(self)
  }
}
