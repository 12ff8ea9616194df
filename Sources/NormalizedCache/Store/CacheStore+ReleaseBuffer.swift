public import CacheModel
public import EvictionPolicies

/// Queries that lost their last observer, and may be observed again before long.
extension CacheStore {
  /// Whether a query holds what observing it holds.
  @inlinable func countsAsObserved(_ query: Int32) -> Bool {
    queries[query].isObserved || queries.released.contains(query)
  }

  /// Puts a query that has just lost its last observer in the buffer, if there is one.
  ///
  /// Amortised O(1), and the release of those that it pushes out.
  @inlinable mutating func enterReleaseBuffer(_ query: Int32) {
    guard let buffer = composition.releaseBuffer, buffer.queries != 0, buffer.age != .zero,
      queries[query].plan.isCacheable
    else { return }
    queries[query].releasedAt = now.nanoseconds
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
