public import CacheModel
public import EvictionPolicies

/// Queries that lost their last observer, and may be observed again before long.
extension CacheStore {
  /// Whether a query holds what observing it holds.
  @inlinable func countsAsObserved(_ query: Int32) -> Bool {
    queries[query].isObserved || buffer.contains(query) || queries[query].awaitsCollection
      || queries[query].isAwaitedByReader
  }

  /// Puts a query that has just lost its last observer in the buffer, if there is one; one that is in
  /// it begins anew.
  ///
  /// Amortised O(1), and the release of those that it pushes out.
  @inlinable mutating func enterReleaseBuffer(_ query: Int32) {
    guard buffer.limit > 0, queries[query].plan.isCacheable else { return }
    queries[query].releasedAt = now.nanoseconds
    queries[query].awaitsCollection = false
    buffer.add(query)
    if planted(.releaseBufferUnbounded) { return }
    while let oldest = buffer.overflow { leaveReleaseBuffer(oldest) }
  }

  // MARK: Reads without an observer

  /// Notes that somebody has read a query.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - fetch: what the reader waits for, or is served beside; `nil`: it has been answered.
  @inlinable mutating func noteUnobservedRead(of query: Int32, awaits fetch: FetchID?) {
    guard !queries[query].isObserved else {
      if fetch != nil { queries[query].readersBesideObservers += 1 }
      return
    }
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
    if buffer.reads == .asObserved {
      enterReleaseBuffer(query)
    } else if buffer.reads == .whileRoom, !buffer.contains(query) {
      if buffer.hasRoom { enterReleaseBuffer(query) } else { awaitCollection(query) }
    }
    updateRetention(of: query)
  }

  @inlinable mutating func awaitCollection(_ query: Int32) {
    guard queries[query].hasResult, queries[query].plan.isCacheable else { return }
    queries[query].awaitsCollection = true
    buffer.mayCollect = true
  }

  /// Takes back the request that only a query's observers waited for, where requests are theirs.
  ///
  /// It has just lost the last of them.
  @inlinable mutating func takeBackRequest(of query: Int32) {
    guard buffer.reads == .whileRoom, queries[query].fetch != nil,
      !queries[query].isAwaitedByReader, queries[query].readersBesideObservers <= 0
    else { return }
    fetches.disown(.query(queries[query].key))
    queries[query].fetch = nil
  }

  // MARK: Leaving

  /// Lets go of a query in the buffer, and of those that found no room in it; O(queries) where there
  /// are any.
  @inlinable mutating func leaveReleaseBuffer(_ query: Int32) {
    buffer.remove(query)
    dropIfUnwanted(query)
    guard buffer.mayCollect else { return }
    buffer.mayCollect = false
    for query in queries.indices where queries[query].awaitsCollection {
      queries[query].awaitsCollection = false
      dropIfUnwanted(query)
    }
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
