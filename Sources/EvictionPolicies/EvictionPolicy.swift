public import CacheModel

/// An order over the entities that may be evicted, and nothing else.
///
/// The cache owns residency, weight, retention and statistics; a policy owns an order. It is told
/// what happened in the past tense and answers one question, ``nextVictim()``.
///
/// The caller guarantees:
/// - every slot is at least 0 and below the limit most recently given to ``reserve(slots:)``;
/// - `didInsert` names a slot that is not in the order, every other call one that is;
/// - a slot may be inserted again after `didRemove`, for the same or another entity;
/// - a retained entity is out of the order from `didRetain` to `didRelease`;
/// - where space is made before an entity enters, `willInsert` names it before victims are asked
///   for, and nothing but the victims' removal comes between; where it enters first is not given.
///
/// The conformer guarantees:
/// - `nextVictim` returns a slot that is in the order, or `nil` exactly when the order is empty; it
///   does not remove it (the caller follows with `didRemove`), though it may advance a hand;
/// - every call is amortised O(1) unless the policy's own file says otherwise, and allocates
///   nothing but in `reserve`;
/// - what it remembers of entities that are gone (ghosts, by fingerprint) is bounded by the capacity
///   and by the slots reserved, and is of evicted ones only: what was deleted or went stale is no
///   sign of a cache too small.
public protocol EvictionPolicy: ~Copyable {
  /// The flat, lower-case, hyphenated name, unique in the registry.
  static var name: String { get }
  /// One sentence: what it evicts.
  static var summary: String { get }
  /// Where it is defined: paper or document.
  static var source: String { get }
  /// Whether a cache keeps to its capacity under it; `false` only for the bound that shows what
  /// space could be worth.
  static var isBounded: Bool { get }
  /// Whether it reads ``EvictionEntry/nextUse``, which only a replay can tell.
  static var needsFuture: Bool { get }

  /// - Parameters:
  ///   - capacity: how much the cache will hold, in the unit of ``EvictionEntry/weight``; policies
  ///     with parts size them by it. `nil`: no limit.
  ///   - random: for policies that draw; the same source gives the same order.
  init(capacity: Int?, random: RandomSource)

  /// Makes room for slots below `slots`. Called before a slot of that size is first used.
  mutating func reserve(slots: Int)
  /// Tells that every fingerprint will be below `limit`, so that what is remembered by fingerprint
  /// can stand in a flat array. Only a replay can tell.
  mutating func reserve(fingerprintsBelow limit: Int)

  /// An entity will be asked for soon: a moment to ask for the memory that its arrival will touch.
  ///
  /// A hint that a replay gives; nothing may depend on it.
  func prefetch(_ fingerprint: UInt64)

  /// Whether an arrival should enter at all where space would have to be made for it.
  ///
  /// For bounds that know the future: a replay asks, a cache does not.
  mutating func admits(_ candidate: EvictionEntry) -> Bool
  /// An entity is about to enter, and victims will be asked for to make space for it.
  mutating func willInsert(_ entry: EvictionEntry)
  /// An entity became resident and evictable.
  mutating func didInsert(_ entry: EvictionEntry)
  /// An evictable entity was read, or written again.
  mutating func didHit(_ entry: EvictionEntry)
  /// The entity left the order because something holds it: a reference, an observer.
  mutating func didRetain(_ slot: Slot)
  /// The last hold ended. By default an insertion: a released entity is the youngest.
  mutating func didRelease(_ entry: EvictionEntry)
  /// The entity is no longer resident, whatever the cause: the one path of clean-up.
  mutating func didRemove(_ slot: Slot, cause: RemovalCause)
  /// The entity that should go next; `nil` when nothing may be evicted.
  mutating func nextVictim() -> Slot?

  /// Traps unless the order is sound; O(n), for tests.
  func checkInvariants()
}

extension EvictionPolicy where Self: ~Copyable {
  @inlinable public static var isBounded: Bool { true }

  @inlinable public static var needsFuture: Bool { false }

  @inlinable public mutating func reserve(fingerprintsBelow limit: Int) {}

  @inlinable public func prefetch(_ fingerprint: UInt64) {}

  @inlinable public mutating func admits(_ candidate: EvictionEntry) -> Bool { true }

  @inlinable public mutating func willInsert(_ entry: EvictionEntry) {}

  @inlinable public mutating func didRetain(_ slot: Slot) {
    didRemove(slot, cause: .retained)
  }

  @inlinable public mutating func didRelease(_ entry: EvictionEntry) {
    didInsert(entry)
  }
}

/// What a policy is told about an entity.
public struct EvictionEntry: Sendable, BitwiseCopyable {
  public var slot: Slot
  /// 64 bits that name the entity across residencies, for ghost lists and sketches: slots are
  /// reused, fingerprints are not.
  public var fingerprint: UInt64
  /// Bytes; 1 where all weigh the same.
  public var weight: Int32
  /// When it expires, in nanoseconds; `Int64.max`: never.
  public var expiry: Int64
  /// The index of its next request where the future is known, else `Int64.max`.
  public var nextUse: Int64

  @inlinable public init(
    slot: Slot, fingerprint: UInt64, weight: Int32 = 1, expiry: Int64 = .max,
    nextUse: Int64 = .max
  ) {
    self.slot = slot
    self.fingerprint = fingerprint
    self.weight = weight
    self.expiry = expiry
    self.nextUse = nextUse
  }
}

/// Why an entity left the order.
public enum RemovalCause: UInt8, Sendable, CaseIterable {
  /// To make space.
  case evicted
  case expired
  case invalidated
  case replaced
  /// Its last reference went, under a retention that keeps nothing else.
  case released
  case deleted
  /// Not gone: held back from eviction.
  case retained
}

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
