import CacheModel
public import Containers

/// The first fault of a policy, if any.
package final class PolicyWatch {
  package fileprivate(set) var fault: PolicyFault?

  package init() {}
}

/// An eviction order that checks every answer of an untested policy.
///
/// After the first fault the policy is no longer called, and the resident slot with the lowest number is
/// evicted: the cache stays consistent until the fault is reported.
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

  /// O(slots), for the rest of a failed run.
  private var lowestEvictable: Slot? {
    standings.firstIndex(of: .evictable).map { Slot($0) }
  }
}

/// A violation of the guarantees of ``EvictionPolicy``.
public struct PolicyFault: Error, Hashable, Sendable {
  /// The policy's name.
  public var policy: String
  public var kind: Kind

  public enum Kind: Hashable, Sendable {
    /// The victim is retained: it left the order, and was not released since.
    case retainedVictim(Slot)
    /// The victim had been removed from the order.
    case removedVictim(Slot)
    /// The victim was never in the order.
    case unknownVictim(Slot)
    /// There was no victim, though the order had this number of entities.
    case noVictim(of: Int)
  }

  public init(policy: String, kind: Kind) {
    self.policy = policy
    self.kind = kind
  }
}

extension PolicyFault: CustomStringConvertible {
  /// One sentence with the fault and the remedy.
  public var description: String { "eviction policy \"\(policy)\": \(cause); \(remedy)" }

  private var cause: String {
    switch kind {
    case .retainedVictim(let slot):
      "nextVictim() named slot \(slot), which didRetain took out of the order and didRelease has not put back"
    case .removedVictim(let slot):
      "nextVictim() named slot \(slot), which didRemove took out of the order"
    case .unknownVictim(let slot):
      "nextVictim() named slot \(slot), which was never in the order"
    case .noVictim(let count):
      "nextVictim() returned nil, though \(count == 1 ? "1 entity" : "\(count) entities") may be evicted"
    }
  }

  private var remedy: String {
    switch kind {
    case .retainedVictim:
      "forget the slot in didRetain, or leave that method to its default, which calls didRemove"
    case .removedVictim: "forget the slot in didRemove, whatever the cause"
    case .unknownVictim: "name only slots that didInsert or didRelease brought"
    case .noVictim:
      "keep every slot that didInsert or didRelease brings until didRetain or didRemove takes it"
    }
  }
}

/// An order chosen at run time, used as a policy.
///
/// There are too many combinations to compile a replay loop for each; one loop over this type serves them
/// all, with a dynamic call per operation.
struct OrderPolicy: EvictionPolicy, ~Copyable {
  static let name = "order"
  static let summary = "Evicts what the order that it is given would."
  static let source = "its order"

  private let order: any EvictionOrder
  /// Always one element, so that a hit allocates nothing.
  private var hit = [EvictionEntry(slot: -1, fingerprint: 0)]

  init(_ order: any EvictionOrder) {
    self.order = order
  }

  /// Creates an order of ``LRU``, if none was given.
  init(capacity: Int?, random: RandomSource) {
    self.init(PolicyOrder<LRU>(capacity: capacity, random: random))
  }

  mutating func reserve(slots: Int) { order.reserve(slots: slots) }
  mutating func admits(_ candidate: EvictionEntry) -> Bool { order.admits(candidate) }
  mutating func willInsert(_ entry: EvictionEntry) { order.willInsert(entry) }
  mutating func didInsert(_ entry: EvictionEntry) { order.didInsert(entry) }
  mutating func didHit(_ entry: EvictionEntry) {
    hit[0] = entry
    order.didHit(hit.span)
  }
  mutating func didRetain(_ slot: Slot) { order.didRetain(slot) }
  mutating func didRelease(_ entry: EvictionEntry) { order.didRelease(entry) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    order.didRemove(slot, cause: cause)
  }
  mutating func nextVictim() -> Slot? { order.nextVictim() }
  func checkInvariants() { order.checkInvariants() }
}

/// The heap memory of an eviction order per slot.
package struct OrderFootprint: Sendable {
  private let kind: Kind

  private enum Kind {
    /// One list of slots, with this number of additional bytes per link.
    case list(beside: Int)
    /// This number of bytes per slot, spare capacity included.
    case measured(perSlot: Double)
  }

  package init(named name: String) {
    kind = Self.known[name] ?? .list(beside: 0)
  }

  package func bytes(slots: Int, first: Int = 0) -> Int {
    switch kind {
    case .list(let beside): SlotList.allocatedBytes(slots: slots, first: first) + beside * slots
    case .measured(let perSlot): Int((perSlot * Double(slots)).rounded())
    }
  }

  private static let known: [String: Kind] = [
    "lru": .list(beside: 0), "fifo": .list(beside: 0), "mru": .list(beside: 0),
    "unbounded": .list(beside: 0), "random": .list(beside: 0), "sieve": .list(beside: 1),
    "clock": .list(beside: 1),
    // Bytes per slot between 10,000 and 20,000, everything replaced once, as counted by `tidemark measure
    // memory --orders`.
    "slru": .measured(perSlot: 26), "s3-fifo": .measured(perSlot: 159),
    "two-queue": .measured(perSlot: 157), "lfu": .measured(perSlot: 69),
    "lfu-aging": .measured(perSlot: 69), "w-tinylfu": .measured(perSlot: 53),
    "hyperbolic": .measured(perSlot: 39), "arc": .measured(perSlot: 262),
    "car": .measured(perSlot: 264), "lirs": .measured(perSlot: 464),
    "gdsf": .measured(perSlot: 59), "size": .measured(perSlot: 52),
    "expiring-first": .measured(perSlot: 52), "clairvoyant": .measured(perSlot: 52),
  ]
}
