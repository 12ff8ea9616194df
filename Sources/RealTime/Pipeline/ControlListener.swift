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

  private let notifier = Notifier()
  private let collected = Mutex<[Sample]>([])

  var samples: [Sample] { collected.withLock { $0 } }
  var count: Int { collected.withLock { $0.count } }

  func welcomed(at place: EventPlace) async {}
  func heartbeat(_ place: EventPlace) async {}

  func received(_ event: ArrivedEvent) async {
    let notified = await notifier.receive(event.envelope)
    guard let sent = event.message.stamps else { return }
    collected.withLock {
      $0.append(
        Sample(
          updateToNotify: notified.nanoseconds - event.received.nanoseconds,
          responseTime: notified.nanoseconds - sent.intended, notified: notified,
          sequence: event.message.sequence))
    }
  }

  private actor Notifier {
    private let observer: @Sendable () -> Instant = { MonotonicClock().now }

    func receive(_ envelope: EventEnvelope<FilePayload>) -> Instant { observer() }
  }
}
