import CacheModel
import Synchronization

/// Where callbacks on another actor leave their instants.
///
/// A lane has one event under way at a time, so one cell for each stamp is enough.
final class ObserverStamps: Sendable {
  private let committedAt = Atomic<Int64>(0)
  private let notifiedAt = Atomic<Int64>(0)
  private let calls = Atomic<Int>(0)

  func commit(at instant: Instant) {
    committedAt.store(instant.nanoseconds, ordering: .releasing)
  }

  func notify(at instant: Instant) {
    notifiedAt.store(instant.nanoseconds, ordering: .releasing)
    calls.add(1, ordering: .releasing)
  }

  /// The stamps of the event that has just been delivered, and how often observers were called since
  /// the last time that this was asked.
  func take() -> (committed: Instant, notified: Instant, calls: Int) {
    let calls = calls.exchange(0, ordering: .acquiring)
    return (
      Instant(nanoseconds: committedAt.load(ordering: .acquiring)),
      Instant(nanoseconds: notifiedAt.load(ordering: .acquiring)), calls
    )
  }
}
