import CacheModel

/// What a client shows of a query, as the cache has it at one moment.
@usableFromInline struct QueryState<Payload: Sendable>: Sendable {
  /// `nil` where only the rest may have changed, or there is no result.
  @usableFromInline var rows: RowUpdate<Payload>?
  @usableFromInline var standing: QueryStanding

  @inlinable init(rows: RowUpdate<Payload>?, standing: QueryStanding) {
    self.rows = rows
    self.standing = standing
  }
}

/// What is known of a query beside its rows.
@usableFromInline struct QueryStanding: Sendable {
  @usableFromInline var hasResult: Bool
  @usableFromInline var hasMore: Bool
  @usableFromInline var isFresh: Bool
  @usableFromInline var isFetching: Bool
  /// Why the last fetch failed; `nil` once one succeeds.
  @usableFromInline var error: (any Error)?
  /// Of two states of one cache, the later has the greater one.
  @usableFromInline var order: UInt64

  @inlinable init(
    hasResult: Bool, hasMore: Bool, isFresh: Bool, isFetching: Bool, error: (any Error)?,
    order: UInt64
  ) {
    self.hasResult = hasResult
    self.hasMore = hasMore
    self.isFresh = isFresh
    self.isFetching = isFetching
    self.error = error
    self.order = order
  }
}

extension NormalizedCache {
  /// Watches a query, its fetches and its gaps.
  ///
  /// Each signal says that there is news to take, with ``state(of:by:since:)``. The signals end with the
  /// cache; letting go of them ends the subscription.
  func follow(_ key: QueryKey) -> (news: News, signals: AsyncStream<Void>) {
    let (news, signals) = News.make()
    let observation = observe(key, with: news, followsProgress: true)
    signals.continuation.onTermination = { _ in Task { await observation.cancel() } }
    return (news, signals.stream)
  }

  /// The query as it is now.
  ///
  /// O(rows) with rows, O(1) without.
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - news: what is looked for, and taken; `nil`: everything, whether there is news or not.
  ///   - known: the marks of the rows that the reader has.
  /// - Returns: `nil` where there is no news.
  @inlinable func state(
    of key: QueryKey, by news: News?, since known: [RowMark]
  ) -> QueryState<Payload>? {
    var kind = News.Kind.rows
    if let news {
      guard let taken = news.take(on: self) else { return nil }
      kind = taken
    }
    let standing = QueryStanding(
      hasResult: store.members(of: key) != nil, hasMore: store.showsMore(key),
      isFresh: store.isFresh(key, at: clock.now),
      isFetching: store.fetch(of: .query(key)) != nil, error: fetchErrors[key],
      order: nextIdentifier())
    return QueryState(
      rows: kind == .rows ? store.rowUpdate(of: key, since: known) : nil, standing: standing)
  }
}
