import CacheModel

/// An eviction policy chosen at run time: what a cache holds.
///
/// One dynamic call per operation, and one per *batch* of hits, so that a query that reads a
/// thousand rows pays for dispatch once. The guarantees are those of ``EvictionPolicy``.
public protocol EvictionOrder: AnyObject {
  func reserve(slots: Int)
  func didInsert(_ entry: EvictionEntry)
  func didHit(_ entries: borrowing Span<EvictionEntry>)
  func didRetain(_ slot: Slot)
  func didRelease(_ entry: EvictionEntry)
  func didRemove(_ slot: Slot, cause: RemovalCause)
  func nextVictim() -> Slot?
  func checkInvariants()
}

/// A policy behind the dynamic door.
final class PolicyOrder<Policy: EvictionPolicy & ~Copyable>: EvictionOrder {
  private var policy: Policy

  init(capacity: Int?, random: RandomSource) {
    policy = Policy(capacity: capacity, random: random)
  }

  func reserve(slots: Int) { policy.reserve(slots: slots) }
  func didInsert(_ entry: EvictionEntry) { policy.didInsert(entry) }
  func didHit(_ entries: borrowing Span<EvictionEntry>) {
    for index in entries.indices { policy.didHit(entries[index]) }
  }
  func didRetain(_ slot: Slot) { policy.didRetain(slot) }
  func didRelease(_ entry: EvictionEntry) { policy.didRelease(entry) }
  func didRemove(_ slot: Slot, cause: RemovalCause) { policy.didRemove(slot, cause: cause) }
  func nextVictim() -> Slot? { policy.nextVictim() }
  func checkInvariants() { policy.checkInvariants() }
}
