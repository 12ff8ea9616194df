import CacheModel

/// What a client shows of a query, as the cache has it at one moment.
struct QueryState<Payload: Sendable>: Sendable {
  /// `nil` where only the rest may have changed, or there is no result.
  var snapshot: QuerySnapshot<Payload>?
  var hasResult: Bool
  var hasMore: Bool
  var isFresh: Bool
  var isFetching: Bool
  /// Why the last fetch failed; `nil` once one succeeds.
  var error: (any Error)?
  /// Of two states of one cache, the later has the greater one.
  var order: UInt64
}

extension NormalizedCache {
  /// Watches a query, its fetches and its gaps.
  func states(of key: QueryKey) -> AsyncStream<QueryState<Payload>> {
    stream(of: key, followsProgress: true) { cache, kind in
      cache.state(of: key, withRows: kind == .rows)
    }
  }

  /// O(rows) with rows, O(1) without.
  func state(of key: QueryKey, withRows: Bool) -> QueryState<Payload> {
    let hasResult = store.members(of: key) != nil
    return QueryState(
      snapshot: withRows && hasResult ? snapshot(of: key) : nil, hasResult: hasResult,
      hasMore: store.showsMore(key), isFresh: store.isFresh(key, at: clock.now),
      isFetching: store.fetch(of: .query(key)) != nil, error: fetchErrors[key],
      order: nextIdentifier())
  }
}
