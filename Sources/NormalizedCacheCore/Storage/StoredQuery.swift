public import CacheModel

/// One query's result as a storage keeps it.
public struct StoredQuery: Hashable, Sendable {
  public var key: QueryKey
  /// The members in the server's order, duplicates included; `nil` in a batch where they are as they
  /// were.
  public var members: [EntityKey]?
  /// Whether the server has rows beyond the last member.
  public var hasMore: Bool
  /// Whether the members stand in the schema's order.
  public var isSorted: Bool
  /// Whether the app has laid claim to it.
  public var isTagged: Bool
  /// When the result was fetched, by the wall clock.
  public var fetchedAt: Instant
  /// When it was last read, by the wall clock.
  public var lastReadAt: Instant
  /// Where in a stream the result was read.
  public var place: StoredPlace?
  /// The number of the library's last verification when the result was fetched.
  public var verification: UInt32
  /// Whether something happened that the result may not show.
  public var isMarkedStale: Bool
  /// The place in a stream of what made it stale; `nil`: only a fetch begun afterwards shows it.
  public var staleSince: StoredPlace?

  @inlinable public init(
    key: QueryKey, members: [EntityKey]?, hasMore: Bool, isSorted: Bool, isTagged: Bool,
    fetchedAt: Instant, lastReadAt: Instant, place: StoredPlace?, verification: UInt32,
    isMarkedStale: Bool, staleSince: StoredPlace?
  ) {
    self.key = key
    self.members = members
    self.hasMore = hasMore
    self.isSorted = isSorted
    self.isTagged = isTagged
    self.fetchedAt = fetchedAt
    self.lastReadAt = lastReadAt
    self.place = place
    self.verification = verification
    self.isMarkedStale = isMarkedStale
    self.staleSince = staleSince
  }
}

/// A place in a stream.
public struct StoredPlace: Hashable, Sendable {
  public var stream: StreamID
  public var position: StreamPosition

  @inlinable public init(stream: StreamID, position: StreamPosition) {
    self.stream = stream
    self.position = position
  }
}

/// That a query was read, where nothing else of it has changed.
public struct StoredUse: Hashable, Sendable {
  public var key: QueryKey
  /// By the wall clock.
  public var lastReadAt: Instant

  @inlinable public init(key: QueryKey, lastReadAt: Instant) {
    self.key = key
    self.lastReadAt = lastReadAt
  }
}
