public import CacheModel

/// An order of the entities that may be evicted.
///
/// The cache owns residency, weight, retention and statistics; a policy only owns an order. It is notified of
/// what happened, in the past tense, and answers one question, ``nextVictim()``.
///
/// The caller guarantees:
/// - every slot is at least 0 and below the last limit of ``reserve(slots:)``;
/// - `didInsert` names a slot that is not in the order, every other call one that is;
/// - a slot may be inserted again after `didRemove`, for the same or another entity;
/// - a retained entity is out of the order from `didRetain` to `didRelease`;
/// - if space is made before an entity enters, `willInsert` names it before victims are requested, and only
///   the victims' removal comes in between; if it enters first, `willInsert` is not called.
///
/// The conformer guarantees:
/// - `nextVictim` returns a slot of the order, or `nil` exactly when the order is empty; it does not remove
///   it (the caller then calls `didRemove`), though it may advance a hand;
/// - every call is amortised O(1) unless the policy's own file says otherwise, and only `reserve` allocates;
/// - its memory of departed entities (ghosts, by fingerprint) is bounded by the capacity and the slots
///   reserved, and contains evicted ones only: a deleted or stale entity does not show that the cache is too
///   small.
public protocol EvictionPolicy: ~Copyable {
  /// The flat, lower-case, hyphenated name, unique in the registry.
  static var name: String { get }
  /// One sentence that says what it evicts.
  static var summary: String { get }
  /// The paper or document that defines it.
  static var source: String { get }
  /// Whether the cache applies its capacity; `false` only for the bound that shows the value of space.
  static var isBounded: Bool { get }
  /// Whether it reads ``EvictionEntry/nextUse``, which only a replay knows.
  static var needsFuture: Bool { get }

  /// - Parameters:
  ///   - capacity: the cache's capacity in the unit of ``EvictionEntry/weight``, for the sizes of a policy's
  ///     parts; `nil`: no limit.
  ///   - random: for policies that use random numbers; the same source gives the same order.
  init(capacity: Int?, random: RandomSource)

  /// Reserves space for slots below `slots`; called before such a slot is first used.
  mutating func reserve(slots: Int)
  /// Announces that every fingerprint will be below `limit`, so that ghosts can be in a flat array; only a
  /// replay knows.
  mutating func reserve(fingerprintsBelow limit: Int)

  /// Prefetches the memory for an entity that will be requested soon.
  ///
  /// A hint of a replay; it must not affect results.
  func prefetch(_ fingerprint: UInt64)

  /// Returns whether an arrival should enter at all, if that requires an eviction.
  ///
  /// For bounds that know the future: a replay calls it, a cache does not.
  mutating func admits(_ candidate: EvictionEntry) -> Bool
  /// Announces an entity that is about to enter; victims may be requested to make space for it.
  mutating func willInsert(_ entry: EvictionEntry)
  /// Notes that an entity became resident and evictable.
  mutating func didInsert(_ entry: EvictionEntry)
  /// Notes that an evictable entity was read, or written again.
  mutating func didHit(_ entry: EvictionEntry)
  /// Notes that the entity left the order because something retains it: a reference, an observer.
  mutating func didRetain(_ slot: Slot)
  /// Notes that nothing retains the entity any longer. By default an insertion: a released entity is the
  /// youngest.
  mutating func didRelease(_ entry: EvictionEntry)
  /// Notes that the entity is no longer resident, whatever the cause: the only path of clean-up.
  mutating func didRemove(_ slot: Slot, cause: RemovalCause)
  /// Returns the next victim; `nil` if nothing may be evicted.
  mutating func nextVictim() -> Slot?

  /// Traps unless the order is consistent; O(n), for tests.
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

/// An entity, as a policy sees it.
public struct EvictionEntry: Sendable, BitwiseCopyable {
  public var slot: Slot
  /// 64 bits that identify the entity across residencies, for ghost lists and sketches: slots are reused,
  /// fingerprints are not.
  public var fingerprint: UInt64
  /// The weight in bytes; 1 if all weights are equal.
  public var weight: Int32
  /// The expiry in nanoseconds; `Int64.max`: never.
  public var expiry: Int64
  /// The index of its next request if the future is known, otherwise `Int64.max`.
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
  /// Its last reference was removed, under reference counting.
  case released
  case deleted
  /// Not removed: protected from eviction.
  case retained
}

/// An eviction policy chosen at run time, as a cache holds it.
///
/// One dynamic call per operation, and one per *batch* of hits, so that a query that reads a thousand rows
/// pays for dispatch once. The guarantees are those of ``EvictionPolicy``.
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

/// A policy behind dynamic dispatch.
///
/// Slots are checked here, once for all policies: the checks of their own tables are in debug builds only.
final class PolicyOrder<Policy: EvictionPolicy & ~Copyable>: EvictionOrder {
  // A policy cannot access its order, so accesses to it never overlap.
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
