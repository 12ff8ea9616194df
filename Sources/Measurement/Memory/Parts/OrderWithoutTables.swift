import EvictionPolicies

/// Stands in for an eviction order in a cache that never evicts, and keeps nothing: what a cache
/// costs with it is what it costs without an order.
final class OrderWithoutTables: EvictionOrder {
  func reserve(slots: Int) {}
  func admits(_ candidate: EvictionEntry) -> Bool { true }
  func willInsert(_ entry: EvictionEntry) {}
  func didInsert(_ entry: EvictionEntry) {}
  func didHit(_ entries: borrowing Span<EvictionEntry>) {}
  func didRetain(_ slot: Slot) {}
  func didRelease(_ entry: EvictionEntry) {}
  func didRemove(_ slot: Slot, cause: RemovalCause) {}
  func nextVictim() -> Slot? { nil }
  func checkInvariants() {}
}
