/// What a replay of operations counted.
///
/// Every get is a hit or a miss, and every miss has one cause, by what the cache itself found:
/// - *compulsory*: the trace had not read or written the key before, or not since its deletion;
/// - *coherence*: a copy was there, and somebody else had written the entity since;
/// - *expired*: a copy was there, not known to be stale, and its lifetime had passed;
/// - *capacity*: no copy was there any more, or it had been too heavy to keep.
///
/// Source: Hill & Smith, "Evaluating associativity in CPU caches", IEEE Transactions on Computers
/// 38(12), 1989, for the first three of "the four Cs"; here a miss is classified by the state of the
/// cache under test, not by comparison with one of unlimited size, since a lifetime that begins with
/// each fetch makes the two disagree.
package struct OperationCounts: Hashable, Sendable {
  package var gets = 0
  package var sets = 0
  package var updates = 0
  package var deletes = 0

  package var hits = 0
  /// Hits on a copy that somebody else's write had made stale, unseen; among ``hits``.
  package var staleHits = 0
  package var compulsoryMisses = 0
  package var capacityMisses = 0
  package var coherenceMisses = 0
  package var expiredMisses = 0

  /// Copies removed to make space.
  package var evictions = 0
  /// Entities that were fetched or written and not kept: heavier than the whole cache, or not
  /// admitted by the policy.
  package var rejections = 0
  /// Fresh copies that an update made stale.
  package var invalidations = 0
  /// Copies removed by a delete.
  package var deletions = 0

  /// The weight of what gets asked for.
  package var bytesRequested = 0
  /// The weight of what gets had to fetch.
  package var bytesMissed = 0

  package init() {}

  package var misses: Int {
    compulsoryMisses + capacityMisses + coherenceMisses + expiredMisses
  }

  /// The counts that a replay of reads has, too.
  package var reads: ReplayCounts {
    ReplayCounts(requests: gets, misses: misses, evictions: evictions, rejections: rejections)
  }
}
