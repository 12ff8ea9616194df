import CacheModel

/// Admits everything on probation: first in first out, until its next use.
///
/// An arrival is in no eviction order. While entities on probation exceed a tenth of the capacity they are
/// evicted first, so they compete with each other; one that is used joins the order. Unlike ``TinyLFU`` it
/// remembers no departed entity, and keeps entities of a burst for a while. Not for small caches with long
/// reuse distances: an entity survives only if its reuse comes before a tenth of the cache is replaced.
///
/// Source: the first queue of Johnson and Shasha, "2Q: a low overhead high performance buffer management
/// replacement algorithm", VLDB 1994, without its memory.
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

/// Arrivals that were not used since, first in first out.
///
/// They are in no eviction order. While they exceed their share of the capacity, only they are evicted;
/// within it they are evicted last. Every operation is O(1); an empty queue, as under other admissions, costs
/// a comparison.
@usableFromInline package struct ProbationQueue: ~Copyable {
  @usableFromInline var list = SlotList()
  @usableFromInline package var count = 0
  /// The number of slots that the list has space for.
  @usableFromInline package var reserved = 0
  @usableFromInline package var weight = 0

  @inlinable package init() {}

  /// The queue's heap memory, in bytes.
  package var allocatedBytes: Int { list.allocatedBytes }

  /// The share of a limit above which entities on probation are evicted first: a tenth.
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

  /// - Precondition: the slot is in the queue, with the weight that it was added with.
  @inlinable package mutating func remove(_ slot: Slot, weight: Int32) {
    list.remove(slot)
    count -= 1
    self.weight -= Int(weight)
  }

  /// Returns the first that was added, except `spared`.
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

  /// Traps unless the queue is consistent; O(n), for tests.
  @usableFromInline package func checkInvariants() {
    list.checkInvariants()
    precondition(list.count == count, "the queue miscounts those on probation")
  }
}
