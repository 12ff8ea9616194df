import Foundation
import NormalizedCache
import Workloads

/// The same bytes on the same path without a cache: an actor that is handed the decoded event and calls
/// one observer.
struct ReplayControl: Subject, Sendable {
  /// Events as they travel, the next first.
  private var messages: ArraySlice<Data>
  private let notifier: Notifier
  private let stamps: ObserverStamps
  private let committed: @Sendable () -> Void
  private let registry: ResourceTypeRegistry<AppValue>
  private let decoder = JSONDecoder()
  private let clock: ContinuousCacheClock

  init(messages: [Data], of model: DataModel, clock: ContinuousCacheClock) throws {
    self.messages = messages[...]
    self.clock = clock
    registry = try EventFrame.registry(of: model)
    let stamps = ObserverStamps()
    self.stamps = stamps
    committed = { stamps.commit(at: clock.now) }
    notifier = Notifier([[{ stamps.notify(at: clock.now) }]])
  }

  /// Decodes one event and hands it over.
  mutating func perform(_ count: Int) async throws -> Handover {
    guard count == 1, let bytes = messages.popFirst() else {
      preconditionFailure("no event is left")
    }
    let decoded = registry.decode(try EventFrame.event(in: bytes, decoder: decoder))
    let decodedAt = clock.now
    await notifier.receive(decoded, of: 0, committed: committed)
    let (committed, notified, _) = stamps.take()
    return Handover(began: decodedAt, committed: committed, notified: notified)
  }
}
