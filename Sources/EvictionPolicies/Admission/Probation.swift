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
