public import CacheModel
public import EvictionPolicies

/// Queries that lost their last observer, and may be observed again before long.
extension CacheStore {
  /// Whether a query holds what observing it holds.
  @inlinable func countsAsObserved(_ query: Int32) -> Bool {
    queries[query].isObserved || queries.released.contains(query)
      || queries[query].isAwaitedByReader && bufferedReads == .asObserved
  }

  /// Puts a query that has just lost its last observer in the buffer, if there is one; one that is in
  /// it begins anew.
  ///
  /// Amortised O(1), and the release of those that it pushes out.
  @inlinable mutating func enterReleaseBuffer(_ query: Int32) {
    guard let buffer = composition.releaseBuffer, !buffer.isNone, queries[query].plan.isCacheable
    else { return }
    queries[query].releasedAt = now.nanoseconds
    if queries.released.contains(query) {
      queries.released.moveToYoung(query)
      return
    }
    queries.released.pushYoung(query)
    #if PLANTED_DEFECTS
      if plantedDefect == .releaseBufferUnbounded { return }
    #endif
    while let limit = buffer.queries, queries.released.count > limit,
      let oldest = queries.released.oldest
    {
      leaveReleaseBuffer(oldest)
    }
  }

  // MARK: Reads without an observer

  /// Notes that somebody has read a query, if nobody observes it.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - fetch: what the reader waits for, or is served beside; `nil`: it has been answered.
  @inlinable mutating func noteUnobservedRead(of query: Int32, awaits fetch: FetchID?) {
    guard !queries[query].isObserved else { return }
    guard fetch == nil else {
      queries[query].isAwaitedByReader = true
      if bufferedReads == .asObserved, queries.released.contains(query) {
        queries.released.remove(query)
      }
      return
    }
    guard bufferedReads == .asObserved else { return }
    enterReleaseBuffer(query)
    updateRetention(of: query)
  }

  /// Lets the buffer have a query whose reader has been answered, if nobody observes it.
  @inlinable mutating func settleUnobservedRead(of query: Int32) {
    guard queries[query].isAwaitedByReader else { return }
    queries[query].isAwaitedByReader = false
    guard !queries[query].isObserved else { return }
    if bufferedReads == .asObserved || bufferHasRoom(for: query) { enterReleaseBuffer(query) }
    updateRetention(of: query)
  }

  /// Whether a query that is not in the buffer could enter without pushing another out.
  @inlinable func bufferHasRoom(for query: Int32) -> Bool {
    guard bufferedReads == .whileRoom, !queries.released.contains(query) else { return false }
    return queries.released.count < composition.releaseBuffer?.queries ?? .max
  }

  // MARK: Leaving

  @inlinable mutating func leaveReleaseBuffer(_ query: Int32) {
    queries.released.remove(query)
    dropIfUnwanted(query)
  }

  /// Lets go of what the buffer has held for its age.
  @inlinable mutating func emptyReleaseBuffer() {
    while let deadline = releaseDeadline, deadline <= now, let oldest = queries.released.oldest {
      leaveReleaseBuffer(oldest)
    }
  }

  /// When the buffer lets go of the next query; `nil`: not by age.
  @inlinable var releaseDeadline: Instant? {
    guard releaseAge < .max, let oldest = queries.released.oldest else { return nil }
    let deadline = Instant(nanoseconds: queries[oldest].releasedAt)
      .advanced(byNanoseconds: releaseAge)
    return deadline == .distantFuture ? nil : deadline
  }
}
