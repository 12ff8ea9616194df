public import CacheModel

/// What a query showed at one commit.
public struct QuerySnapshot<Payload: Sendable>: Sendable {
  public var key: QueryKey
  /// The rows in the server's order; those whose value is not resident are left out, and
  /// `isComplete` is false.
  public var rows: [VersionedEntity<Payload>]
  /// Whether every row is there.
  public var isComplete: Bool
  /// Whether the cache believes the rows to be the truth.
  public var isFresh: Bool
  /// Whether there are rows beyond the query's limit, at the server or pushed there by a pending change.
  public var hasMore: Bool

  @inlinable init(
    key: QueryKey, rows: [VersionedEntity<Payload>], isComplete: Bool, isFresh: Bool, hasMore: Bool
  ) {
    self.key = key
    self.rows = rows
    self.isComplete = isComplete
    self.isFresh = isFresh
    self.hasMore = hasMore
  }
}
