import CacheModel
import NormalizedCache
import Synchronization

/// The client under test: applies the server's events to the cache, and passes the cache's notifications to
/// the screen.
struct CacheListener: SyncClient.Listener {
  let cache: NormalizedCache<MeasurementSchema>
  let screen: Screen
  let stamps = ObserverStamps()
  let clock = MonotonicClock()

  /// Fills the cache and adds the plan's observers.
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
  /// Applies an event and writes its stamps.
  ///
  /// It is one job on the actor, so that no other task's work falls between the stamps.
  fileprivate func receive(
    _ event: ArrivedEvent, stamps: ObserverStamps, screen: Screen, clock: MonotonicClock
  ) {
    _ = stamps.take()
    receive(event.envelope) { stamps.commit(at: clock.now) }
    let observed = stamps.take()
    // A buffered event is not applied yet, and a duplicate never is.
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

/// A client of the same server without a cache.
///
/// It decodes the same bytes, hops to an actor, and calls its observer: the time of the transport and the
/// machine without the cache.
final class ControlListener: SyncClient.Listener {
  /// The control's measurements of one event, in nanoseconds.
  struct Sample: Sendable {
    /// From the received bytes to its observer.
    var updateToNotify: Int64
    /// From the intended start to its observer.
    var responseTime: Int64
    var notified: Instant
    var sequence: UInt64
  }

  private let stamps: ObserverStamps
  private let notifier: Notifier
  private let collected = Mutex<[Sample]>([])

  init() {
    let stamps = ObserverStamps()
    self.stamps = stamps
    notifier = Notifier([[{ stamps.notify(at: MonotonicClock().now) }]])
  }

  var samples: [Sample] { collected.withLock { $0 } }
  var count: Int { collected.withLock { $0.count } }

  func welcomed(at place: EventPlace) async {}
  func heartbeat(_ place: EventPlace) async {}

  func received(_ event: ArrivedEvent) async {
    await notifier.receive(event.envelope, of: 0)
    let notified = stamps.take().notified
    guard let sent = event.message.stamps else { return }
    collected.withLock {
      $0.append(
        Sample(
          updateToNotify: notified.nanoseconds - event.received.nanoseconds,
          responseTime: notified.nanoseconds - sent.intended, notified: notified,
          sequence: event.message.sequence))
    }
  }
}
