import Containers

/// What a policy did wrong first, if anything.
package final class PolicyWatch {
  package fileprivate(set) var fault: PolicyFault?

  package init() {}
}

/// An eviction order of which every answer is checked: that of a policy which has not been tested here.
///
/// From the first wrong answer on the policy is told and asked nothing, and the slot of the lowest number
/// goes: the cache stays sound until somebody has looked at the watch.
///
/// Costs one more dynamic call, and a byte for each slot.
package final class WatchedOrder: EvictionOrder {
  private let order: any EvictionOrder
  private let policy: String
  private let watch: PolicyWatch
  private var standings: [Standing] = []
  private var evictable = 0

  private enum Standing: UInt8 {
    case unknown, evictable, retained, removed
  }

  /// - Parameters:
  ///   - order: made by the policy.
  ///   - policy: what a fault calls it.
  ///   - watch: where the first fault is noted.
  package init(_ order: any EvictionOrder, of policy: String, noting watch: PolicyWatch) {
    self.order = order
    self.policy = policy
    self.watch = watch
  }

  private var isTrusted: Bool { watch.fault == nil }

  package func reserve(slots: Int) {
    while standings.count < slots { standings.append(.unknown) }
    if isTrusted { order.reserve(slots: slots) }
  }

  package func admits(_ candidate: EvictionEntry) -> Bool {
    !isTrusted || order.admits(candidate)
  }

  package func willInsert(_ entry: EvictionEntry) {
    if isTrusted { order.willInsert(entry) }
  }

  package func didInsert(_ entry: EvictionEntry) {
    stand(entry.slot, .evictable)
    if isTrusted { order.didInsert(entry) }
  }

  package func didHit(_ entries: borrowing Span<EvictionEntry>) {
    if isTrusted { order.didHit(entries) }
  }

  package func didRetain(_ slot: Slot) {
    stand(slot, .retained)
    if isTrusted { order.didRetain(slot) }
  }

  package func didRelease(_ entry: EvictionEntry) {
    stand(entry.slot, .evictable)
    if isTrusted { order.didRelease(entry) }
  }

  package func didRemove(_ slot: Slot, cause: RemovalCause) {
    stand(slot, .removed)
    if isTrusted { order.didRemove(slot, cause: cause) }
  }

  package func nextVictim() -> Slot? {
    guard isTrusted else { return lowestEvictable }
    let victim = order.nextVictim()
    guard let kind = fault(of: victim) else { return victim }
    watch.fault = PolicyFault(policy: policy, kind: kind)
    return lowestEvictable
  }

  package func checkInvariants() {
    precondition(evictable == standings.count { $0 == .evictable }, "the count is wrong")
    if isTrusted { order.checkInvariants() }
  }

  private func stand(_ slot: Slot, _ standing: Standing) {
    if standings[Int(slot)] == .evictable { evictable -= 1 }
    if standing == .evictable { evictable += 1 }
    standings[Int(slot)] = standing
  }

  private func fault(of victim: Slot?) -> PolicyFault.Kind? {
    guard let victim else { return evictable > 0 ? .noVictim(of: evictable) : nil }
    guard standings.indices.contains(Int(victim)) else { return .unknownVictim(victim) }
    switch standings[Int(victim)] {
    case .evictable: return nil
    case .retained: return .retainedVictim(victim)
    case .removed: return .removedVictim(victim)
    case .unknown: return .unknownVictim(victim)
    }
  }

  /// O(slots), for the rest of a run that has failed.
  private var lowestEvictable: Slot? {
    standings.firstIndex(of: .evictable).map { Slot($0) }
  }
}
