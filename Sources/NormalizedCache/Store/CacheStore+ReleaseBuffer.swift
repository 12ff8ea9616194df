public import CacheModel
public import EvictionPolicies

/// Queries that lost their last observer, and may be observed again before long.
extension CacheStore {
  /// Whether a query holds what observing it holds.
  @inlinable func countsAsObserved(_ query: Int32) -> Bool {
    queries[query].isObserved || buffer.contains(query)
      || queries[query].isAwaitedByReader && buffer.reads == .asObserved
  }

  /// Puts a query that has just lost its last observer in the buffer, if there is one; one that is in
  /// it begins anew.
  ///
  /// Amortised O(1), and the release of those that it pushes out.
  @inlinable mutating func enterReleaseBuffer(_ query: Int32) {
    guard buffer.limit > 0, queries[query].plan.isCacheable else { return }
    queries[query].releasedAt = now.nanoseconds
    buffer.add(query)
    #if PLANTED_DEFECTS
      if plantedDefect == .releaseBufferUnbounded { return }
    #endif
    while let oldest = buffer.overflow { leaveReleaseBuffer(oldest) }
  }

  // MARK: Reads without an observer

  /// Notes that somebody has read a query, if it is unobserved.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - fetch: what the reader waits for, or is served beside; `nil`: it has been answered.
  @inlinable mutating func noteUnobservedRead(of query: Int32, awaits fetch: FetchID?) {
    guard !queries[query].isObserved else { return }
    guard fetch == nil else {
      queries[query].isAwaitedByReader = true
      if buffer.reads == .asObserved { buffer.remove(query) }
      return
    }
    guard buffer.reads == .asObserved else { return }
    enterReleaseBuffer(query)
    updateRetention(of: query)
  }

  /// Lets the buffer have a query whose reader has been answered, if it is unobserved.
  @inlinable mutating func settleUnobservedRead(of query: Int32) {
    guard queries[query].isAwaitedByReader else { return }
    queries[query].isAwaitedByReader = false
    guard !queries[query].isObserved else { return }
    let isLetIn = buffer.reads == .whileRoom && buffer.hasRoom && !buffer.contains(query)
    if buffer.reads == .asObserved || isLetIn { enterReleaseBuffer(query) }
    updateRetention(of: query)
  }

  // MARK: Leaving

  @inlinable mutating func leaveReleaseBuffer(_ query: Int32) {
    buffer.remove(query)
    dropIfUnwanted(query)
  }

  /// Lets go of what the buffer has held for its age.
  @inlinable mutating func emptyReleaseBuffer() {
    while let deadline = releaseDeadline, deadline <= now, let oldest = buffer.list.oldest {
      leaveReleaseBuffer(oldest)
    }
  }

  /// When the buffer lets go of the next query; `nil`: not by age.
  @inlinable var releaseDeadline: Instant? {
    buffer.list.oldest.flatMap { buffer.end(ofReleasedAt: queries[$0].releasedAt) }
  }
}
