import CacheModel
package import NormalizedCache
import Synchronization

/// Ten observers of each listing, and the time of the last call.
///
/// Only the tenth call reads the clock, whichever observer it is: ten readings would cost more than the
/// calls. Calls for one listing are sequential.
package final class ObserverBoard: Sendable {
  package static let observersPerListing = 10
  fileprivate static let everybody: UInt32 = 1 << observersPerListing - 1

  private let clock: ContinuousCacheClock
  private let groups: [Group]
  private let committedAt = Atomic<Int64>(0)

  fileprivate final class Group: Sendable {
    /// A bit for each observer that was called in this round.
    let called = Atomic<UInt32>(0)
    /// The number of complete rounds, and the time of the last call.
    let rounds = Atomic<Int>(0)
    let lastAt = Atomic<Int64>(0)
  }

  package init(listings: Int, clock: ContinuousCacheClock) {
    self.clock = clock
    groups = (0..<listings).map { _ in Group() }
  }

  /// Returns one of the ten observers of a listing.
  package func observer(_ index: Int, of listing: Int) -> Observer {
    precondition((0..<Self.observersPerListing).contains(index), "there is no observer \(index)")
    return Observer(group: groups[listing], clock: clock, bit: 1 << UInt32(index))
  }

  /// An observer as a value, from which a design creates the one closure that it stores: nested closures
  /// would add a call and a cache line that no app has.
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

  /// Resets the called observers, before an event.
  package func begin(_ listing: Int) {
    groups[listing].called.store(0, ordering: .relaxed)
    groups[listing].rounds.store(0, ordering: .relaxed)
    committedAt.store(0, ordering: .relaxed)
  }

  /// Notes the commit: the design has the values.
  package func commit() { committedAt.store(clock.now.nanoseconds, ordering: .releasing) }

  /// The time of ``commit()``; `nil` before it.
  package var committed: Int64? {
    let instant = committedAt.load(ordering: .acquiring)
    return instant == 0 ? nil : instant
  }

  /// Returns the time when the last of the ten was called; `nil` before that.
  package func notified(_ listing: Int) -> Int64? {
    let group = groups[listing]
    return group.rounds.load(ordering: .acquiring) > 0
      ? group.lastAt.load(ordering: .relaxed) : nil
  }

  /// Returns whether any of the ten was called since the listing's last event began; for tests.
  func hasTold(_ listing: Int) -> Bool {
    groups[listing].called.load(ordering: .relaxed) != 0
      || groups[listing].rounds.load(ordering: .relaxed) > 0
  }
}

/// The stamps that callbacks on another actor write.
///
/// A lane has one event in flight at a time, so one cell for each stamp is sufficient.
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

  /// Returns the stamps of the event just delivered, and the number of observer calls since the last call of
  /// this.
  func take() -> (committed: Instant, notified: Instant, calls: Int) {
    let calls = calls.exchange(0, ordering: .acquiring)
    return (
      Instant(nanoseconds: committedAt.load(ordering: .acquiring)),
      Instant(nanoseconds: notifiedAt.load(ordering: .acquiring)), calls
    )
  }
}
