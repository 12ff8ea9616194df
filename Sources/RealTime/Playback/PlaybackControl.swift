import Foundation
import NormalizedCache

/// The same bytes on the same path without a cache: an actor that is handed the decoded event and calls
/// one observer.
final class PlaybackControl: Subject {
  private let notifier: Notifier
  private let stamps = ObserverStamps()
  private let registry: ResourceTypeRegistry<AppValue>
  private let decoder = JSONDecoder()
  private let clock: ContinuousCacheClock

  private actor Notifier {
    private let observer: @Sendable (isolated Notifier) -> Void

    init(observer: @escaping @Sendable (isolated Notifier) -> Void) {
      self.observer = observer
    }

    func receive(_ event: DecodedEvent<AppValue>, committed: @Sendable () -> Void) {
      committed()
      observer(self)
    }
  }

  init(clock: ContinuousCacheClock) throws {
    self.clock = clock
    registry = try EventFrame.registry()
    let stamps = stamps
    notifier = Notifier { _ in stamps.notify(at: clock.now) }
  }

  func receive(_ event: Int, _ bytes: Data) async throws -> Handover {
    let decoded = registry.decode(try EventFrame.event(in: bytes, decoder: decoder))
    let decodedAt = clock.now
    await notifier.receive(decoded) { [stamps, clock] in stamps.commit(at: clock.now) }
    let (committed, notified, _) = stamps.take()
    return Handover(
      decoded: decodedAt, committed: committed, notified: notified)
  }
}
