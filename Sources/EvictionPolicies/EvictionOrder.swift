import CacheModel

/// An eviction policy chosen at run time: what a cache holds.
///
/// One dynamic call per operation, and one per *batch* of hits, so that a query that reads a
/// thousand rows pays for dispatch once. The guarantees are those of ``EvictionPolicy``.
public protocol EvictionOrder: AnyObject {
  func reserve(slots: Int)
  func admits(_ candidate: EvictionEntry) -> Bool
  func willInsert(_ entry: EvictionEntry)
  func didInsert(_ entry: EvictionEntry)
  func didHit(_ entries: borrowing Span<EvictionEntry>)
  func didRetain(_ slot: Slot)
  func didRelease(_ entry: EvictionEntry)
  func didRemove(_ slot: Slot, cause: RemovalCause)
  func nextVictim() -> Slot?
  func checkInvariants()
}

/// A policy behind the dynamic door.
///
/// What a slot is checked against stands here, once for all policies: their own tables are checked in
/// debug builds only.
final class PolicyOrder<Policy: EvictionPolicy & ~Copyable>: EvictionOrder {
  // A policy cannot reach its order, so no access to it can lie within another.
  @exclusivity(unchecked) private var policy: Policy
  private var slots = 0

  init(capacity: Int?, random: RandomSource) {
    policy = Policy(capacity: capacity, random: random)
  }

  func reserve(slots: Int) {
    precondition(slots < Int(Slot.max), "\(slots) slots are more than an order can link")
    guard slots > self.slots else { return }
    self.slots = slots
    policy.reserve(slots: slots)
  }

  func admits(_ candidate: EvictionEntry) -> Bool { policy.admits(candidate) }
  func willInsert(_ entry: EvictionEntry) { policy.willInsert(entry) }

  func didInsert(_ entry: EvictionEntry) {
    check(entry.slot)
    policy.didInsert(entry)
  }

  func didHit(_ entries: borrowing Span<EvictionEntry>) {
    for index in entries.indices {
      check(entries[index].slot)
      policy.didHit(entries[index])
    }
  }

  func didRetain(_ slot: Slot) {
    check(slot)
    policy.didRetain(slot)
  }

  func didRelease(_ entry: EvictionEntry) {
    check(entry.slot)
    policy.didRelease(entry)
  }

  func didRemove(_ slot: Slot, cause: RemovalCause) {
    check(slot)
    policy.didRemove(slot, cause: cause)
  }

  func nextVictim() -> Slot? { policy.nextVictim() }
  func checkInvariants() { policy.checkInvariants() }

  @inline(__always) private func check(_ slot: Slot) {
    precondition(
      UInt(bitPattern: Int(slot)) < UInt(bitPattern: slots), "slot \(slot) was not reserved")
  }
}
