import CacheModel
import NormalizedCache

/// The client under test: what the server tells goes into the cache, and what the cache tells its
/// observers goes to the screen.
struct CacheListener: SyncClient.Listener {
  let cache: NormalizedCache<MeasurementSchema>
  let screen: Screen
  let stamps = ObserverStamps()
  let clock = MonotonicClock()

  /// Fills the cache and observes what the plan says.
  func observe(_ plan: PipelinePlan) async throws {
    for (directory, key) in plan.devices.library.queryKeys.enumerated() {
      for _ in 0..<plan.observers(ofDirectory: directory) {
        _ = await cache.observe(key) { [screen, stamps, clock] _, key in
          stamps.notify(at: clock.now)
          screen.mark(key)
        }
      }
      _ = try await cache.query(key)
    }
  }

  func welcomed(at place: EventPlace) async { await cache.receiveHeartbeat(place) }

  func heartbeat(_ place: EventPlace) async { await cache.receiveHeartbeat(place) }

  func received(_ event: ArrivedEvent) async {
    await cache.receive(event, stamps: stamps, screen: screen, clock: clock)
  }
}

extension NormalizedCache where Schema == MeasurementSchema {
  /// Applies an event and stamps it.
  ///
  /// In one turn of the actor, so that nothing that another task causes falls between the stamps.
  fileprivate func receive(
    _ event: ArrivedEvent, stamps: ObserverStamps, screen: Screen, clock: MonotonicClock
  ) {
    _ = stamps.take()
    receive(event.envelope) { stamps.commit(at: clock.now) }
    let observed = stamps.take()
    // One that waits behind a gap is not applied yet, and a duplicate never is.
    guard observed.calls > 0, let sent = event.message.stamps else { return }
    screen.expect(
      .init(
        stamps: PipelineStamps(
          client: EventStamps(
            intended: Instant(nanoseconds: sent.intended), received: event.received,
            started: event.taken, decoded: event.decoded, committed: observed.committed,
            notified: observed.notified),
          sent: Instant(nanoseconds: sent.sent), published: Instant(nanoseconds: sent.published),
          frameBegan: observed.notified, drawn: observed.notified),
        sequence: event.message.sequence))
  }
}
