import CacheModel
import NormalizedCache
import Synchronization

/// A client of the same server without a cache.
///
/// It decodes the same bytes, hops to an actor, and calls its observer: what that takes is the way's
/// time and the machine's, not the cache's.
final class ControlListener: SyncClient.Listener {
  /// One event as the control saw it, in nanoseconds.
  struct Sample: Sendable {
    /// From the bytes in its hands to its observer.
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
