import CacheModel

/// Admits everything on probation: first in first out, until it is used again.
///
/// What has arrived stands in no eviction order. While those on probation take more than a tenth of
/// the capacity they go first, so they compete with each other; one that is used joins the order.
/// Differs from ``TinyLFU`` in that it remembers no entity that has gone, and that what comes once in a
/// burst is kept for a while. Not for small caches that are asked for the same again after long:
/// nothing survives that takes longer to return than a tenth of the cache takes to be replaced.
///
/// Source: the first queue of Johnson and Shasha, "2Q: a low overhead high performance buffer
/// management replacement algorithm", VLDB 1994, without its memory.
struct Probation: AdmissionPolicy {
  static let name = "probation"
  static let summary = "Admits everything on probation, first in first out, until it is used again."
  static let source = "Johnson and Shasha, VLDB 1994"
  static let holdsOnProbation = true

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {}
  mutating func didUse(_ entry: EvictionEntry) {}
  func admits(_ candidate: EvictionEntry, over victim: EvictionEntry) -> Bool { true }
}

/// Entities that have arrived and were not used since, first in first out.
///
/// They stand in no eviction order. While they take more than their share of the capacity, space is
/// made at their cost alone; within it they go after all others. Every operation is O(1), and one
/// that finds it empty, as it always is under other admissions, costs a comparison.
@usableFromInline package struct ProbationQueue: ~Copyable {
  @usableFromInline var list = SlotList()
  @usableFromInline package var count = 0
  /// How many slots the list has room for.
  @usableFromInline package var reserved = 0
  /// The weight of what stands in it.
  @usableFromInline package var weight = 0

  @inlinable package init() {}

  /// What the queue takes from the allocator.
  package var allocatedBytes: Int { list.allocatedBytes }

  /// The share of a limit that those on probation may take before they go first: a tenth.
  @inlinable package static func share(of limit: Int) -> Int { limit / 10 }

  @inlinable package func contains(_ slot: Slot) -> Bool {
    count > 0 && Int(slot) < reserved && list.contains(slot)
  }

  @inlinable package mutating func append(_ slot: Slot, weight: Int32, slots: Int) {
    if slots > reserved {
      list.reserve(slots: slots)
      reserved = slots
    }
    list.pushYoung(slot)
    count += 1
    self.weight += Int(weight)
  }

  /// - Precondition: the slot stands in the queue, and its weight is the one that it joined with.
  @inlinable package mutating func remove(_ slot: Slot, weight: Int32) {
    list.remove(slot)
    count -= 1
    self.weight -= Int(weight)
  }

  /// The first that joined, but for one that is spared.
  @inlinable package func oldest(but spared: Slot?) -> Slot? {
    guard let first = list.oldest else { return nil }
    return first == spared ? list.younger(than: first) : first
  }

  @inlinable package func forEach<Failure: Error>(
    _ body: (Slot) throws(Failure) -> Void
  ) throws(Failure) {
    var slot = list.oldest
    while let member = slot {
      try body(member)
      slot = list.younger(than: member)
    }
  }

  /// Traps unless the queue is sound; O(n), for tests.
  @usableFromInline package func checkInvariants() {
    list.checkInvariants()
    precondition(list.count == count, "the queue miscounts those on probation")
  }
}
