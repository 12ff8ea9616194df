/// The lines of a trace as columns; a missing column is empty.
///
/// Every other column has one element per line.
package struct OperationTrace: Hashable, Sendable {
  /// The entity of each line, numbered from 0 by first appearance.
  package var ids: [UInt32]
  /// A bound above every id.
  package var distinct: Int
  /// Empty: every line is a get.
  package var operations: [TraceOperation]
  /// The weights in bytes; 0 if unknown, and empty if every entity has weight 1.
  package var weights: [Int32]
  /// The lifetimes of fetched or written values in nanoseconds; 0: none; empty: none in any line.
  package var lifetimes: [Int64]
  /// The times in nanoseconds from any origin; empty if the trace has none.
  package var times: [Int64]

  package init(
    ids: [UInt32], distinct: Int, operations: [TraceOperation] = [], weights: [Int32] = [],
    lifetimes: [Int64] = [], times: [Int64] = []
  ) {
    for count in [operations.count, weights.count, lifetimes.count, times.count] {
      precondition(count == 0 || count == ids.count, "a column has \(count) of \(ids.count) lines")
    }
    self.ids = ids
    self.distinct = distinct
    self.operations = operations
    self.weights = weights
    self.lifetimes = lifetimes
    self.times = times
  }
}

package enum TraceOperation: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  /// A read: served by the cache, or fetched and stored.
  case get
  /// A write by the cache's own client: the new value is stored, and fresh.
  case set
  /// A write by another client: a stored copy is stale from now on.
  case update
  /// A deletion: a stored copy is removed, and the key is forgotten.
  case delete
}

/// The next request of each request's entity.
package enum NextUses {
  /// The value for an entity that is not requested again.
  package static let never = UInt32.max

  /// Returns the index of the next request for the same entity, per request.
  ///
  /// - Returns: one index per request; ``never`` for the last of an entity.
  /// - Complexity: O(requests + distinct); four bytes per request.
  package static func of(_ ids: borrowing Span<UInt32>, distinct: Int) -> [UInt32] {
    precondition(ids.count < Int(never), "\(ids.count) requests are more than can be numbered")
    let upcoming = Flat(repeating: never, count: distinct)
    var next = [UInt32](repeating: never, count: ids.count)
    for index in ids.indices.reversed() {
      let id = Int(ids[index])
      precondition(id < distinct, "the id \(id) is not below \(distinct)")
      next[index] = upcoming[id]
      upcoming[id] = UInt32(truncatingIfNeeded: index)
    }
    return next
  }
}

/// The counts of a replay of operations.
///
/// Every get is a hit or a miss, and every miss has one cause, by the state of the cache:
/// - *compulsory*: the trace had not read or written the key before, or not since its deletion;
/// - *coherence*: there was a copy, but another client had written the entity since;
/// - *expired*: there was a copy, not known to be stale, but its lifetime had passed;
/// - *capacity*: there was no longer a copy, or it had been too heavy to store.
///
/// Source: Hill & Smith, "Evaluating associativity in CPU caches", IEEE Transactions on Computers 38(12),
/// 1989, for the first three of "the four Cs"; here a miss is classified by the state of the cache under
/// test, not by comparison with one of unlimited size, since a lifetime that begins with each fetch makes the
/// two disagree.
package struct OperationCounts: Hashable, Sendable {
  package var gets = 0
  package var sets = 0
  package var updates = 0
  package var deletes = 0

  package var hits = 0
  /// Hits on a copy that another client's write had made stale without notice; included in ``hits``.
  package var staleHits = 0
  package var compulsoryMisses = 0
  package var capacityMisses = 0
  package var coherenceMisses = 0
  package var expiredMisses = 0

  /// Copies removed to make space.
  package var evictions = 0
  /// Entities that were fetched or written and not stored: heavier than the whole cache, or rejected by the
  /// policy.
  package var rejections = 0
  /// Fresh copies that an update made stale.
  package var invalidations = 0
  /// Copies removed by a delete.
  package var deletions = 0

  /// The total weight of gets.
  package var bytesRequested = 0
  /// The total weight of gets that missed.
  package var bytesMissed = 0

  package init() {}

  package var misses: Int {
    compulsoryMisses + capacityMisses + coherenceMisses + expiredMisses
  }

  /// The counts that a replay of reads also has.
  package var reads: ReplayCounts {
    ReplayCounts(requests: gets, misses: misses, evictions: evictions, rejections: rejections)
  }
}
