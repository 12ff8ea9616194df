import CacheModel
package import NormalizedCache
import Synchronization

/// Ten observers of each listing, and when the last of them was called.
///
/// Only the one that makes ten reads the clock, whichever it is: reading it ten times would cost more
/// than calling them. Calls for one listing come one after the other.
package final class ObserverBoard: Sendable {
  package static let observersPerListing = 10
  fileprivate static let everybody: UInt32 = 1 << observersPerListing - 1

  private let clock: ContinuousCacheClock
  private let groups: [Group]
  private let committedAt = Atomic<Int64>(0)

  fileprivate final class Group: Sendable {
    /// A bit for each observer that was called since all were.
    let called = Atomic<UInt32>(0)
    /// How often all were called, and when the last of them was.
    let rounds = Atomic<Int>(0)
    let lastAt = Atomic<Int64>(0)
  }

  package init(listings: Int, clock: ContinuousCacheClock) {
    self.clock = clock
    groups = (0..<listings).map { _ in Group() }
  }

  /// One of the ten observers of a listing.
  package func observer(_ index: Int, of listing: Int) -> Observer {
    precondition((0..<Self.observersPerListing).contains(index), "there is no observer \(index)")
    return Observer(group: groups[listing], clock: clock, bit: 1 << UInt32(index))
  }

  /// An observer as a value, so that a design makes of it the one closure that it keeps: a closure within
  /// a closure would be a call, and a line of memory, that no app pays for.
  package struct Observer: Sendable {
    fileprivate let group: Group
    fileprivate let clock: ContinuousCacheClock
    fileprivate let bit: UInt32

    package func callAsFunction() {
      let called = group.called.bitwiseOr(bit, ordering: .relaxed).newValue
      guard called == ObserverBoard.everybody else { return }
      group.called.store(0, ordering: .relaxed)
      group.lastAt.store(clock.now.nanoseconds, ordering: .relaxed)
      group.rounds.add(1, ordering: .releasing)
    }
  }

  /// Forgets which observers were called, before an event.
  package func begin(_ listing: Int) {
    groups[listing].called.store(0, ordering: .relaxed)
    groups[listing].rounds.store(0, ordering: .relaxed)
    committedAt.store(0, ordering: .relaxed)
  }

  /// The design has the values.
  package func commit() { committedAt.store(clock.now.nanoseconds, ordering: .releasing) }

  /// When ``commit()`` was called; `nil`: not yet.
  package var committed: Int64? {
    let instant = committedAt.load(ordering: .acquiring)
    return instant == 0 ? nil : instant
  }

  /// When the last of the ten was called; `nil` until all were.
  package func notified(_ listing: Int) -> Int64? {
    let group = groups[listing]
    return group.rounds.load(ordering: .acquiring) > 0
      ? group.lastAt.load(ordering: .relaxed) : nil
  }

  /// Whether any of the ten was called since the listing began; for tests.
  func hasTold(_ listing: Int) -> Bool {
    groups[listing].called.load(ordering: .relaxed) != 0
      || groups[listing].rounds.load(ordering: .relaxed) > 0
  }
}

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
