/// The lines of a trace as columns; a column that the trace lacks is empty and costs nothing.
///
/// Every other column has one element per line.
package struct OperationTrace: Hashable, Sendable {
  /// The entity of each line, numbered from 0 by first appearance.
  package var ids: [UInt32]
  /// Above every id.
  package var distinct: Int
  /// Empty: every line is a get.
  package var operations: [TraceOperation]
  /// Bytes; 0 where the line does not know, and empty where every entity weighs 1.
  package var weights: [Int32]
  /// Nanoseconds until what the line fetches or writes expires; 0 for none, and empty for no line.
  package var lifetimes: [Int64]
  /// Nanoseconds from any origin; empty where the trace does not say.
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

/// What a line of a trace asks of a cache.
package enum TraceOperation: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  /// A read: served by the cache, or fetched and kept.
  case get
  /// A write by the cache's own client: the new value is kept, and is fresh.
  case set
  /// A write by somebody else: a kept copy is stale from now on.
  case update
  /// The entity is gone: a kept copy is removed, and the key is forgotten.
  case delete
}

/// When each request's entity is asked for again.
package enum NextUses {
  /// What stands for an entity that is not asked for again.
  package static let never = UInt32.max

  /// The index of the next request for the same entity, per request.
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
