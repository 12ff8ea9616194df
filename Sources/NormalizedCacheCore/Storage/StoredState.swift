public import CacheModel

/// The changes in a cache since the previous batch, taken between two commits: written as a whole or not at
/// all.
///
/// Removals come before writes: an entity may be in both. `Payload` and `Mutation` are the app's typed values
/// in a store, and bytes in a ``CacheStorage``.
public struct StorageBatch<Payload: Sendable, Mutation: Sendable>: Sendable {
  /// The number of the batch, counted from 1 in each store.
  public var number: UInt64
  /// The version of the app's data model in which values are encoded; 0 before they are.
  public var schemaVersion = 0
  /// Whether stored contents that are not in the batch are removed.
  public var replacesAll: Bool
  public var removedEntities: [EntityKey] = []
  /// One for each entity, however often it was written.
  public var entities: [StoredEntity<Payload>] = []
  public var removedQueries: [QueryKey] = []
  public var queries: [StoredQuery] = []
  public var uses: [StoredUse] = []
  public var progress = StoredProgress()
  /// The mutations that wait for the server, in order; `nil` if unchanged.
  public var outbox: [Mutation]?

  @inlinable public init(number: UInt64, replacesAll: Bool) {
    self.number = number
    self.replacesAll = replacesAll
  }
}

/// The complete contents of a storage.
public struct StoredState<Payload: Sendable, Mutation: Sendable>: Sendable {
  /// The version of the app's data model in which values are, or were, encoded.
  public var schemaVersion = 0
  /// In any order, without duplicates.
  public var entities: [StoredEntity<Payload>]
  /// In any order, without duplicates, each with its members.
  public var queries: [StoredQuery]
  public var progress: StoredProgress
  /// In the order in which they were made.
  public var outbox: [Mutation]

  @inlinable public init(
    entities: [StoredEntity<Payload>] = [], queries: [StoredQuery] = [],
    progress: StoredProgress = StoredProgress(), outbox: [Mutation] = []
  ) {
    self.entities = entities
    self.queries = queries
    self.progress = progress
    self.outbox = outbox
  }
}

extension StoredState: Equatable where Payload: Equatable, Mutation: Equatable {}

/// One entity as a storage keeps it: confirmed, never with a pending change on top.
public struct StoredEntity<Payload: Sendable>: Sendable {
  public var key: EntityKey
  public var version: Version
  /// `nil`: a query lists the entity, and only its version is known.
  public var payload: Payload?
  /// `nil` if no event or response has named it.
  public var library: LibraryID?
  /// The number of the library's last verification when the value was written.
  public var verification: UInt32
  /// The time of the last write of the value, by the wall clock.
  public var writtenAt: Instant

  @inlinable public init(
    key: EntityKey, version: Version, payload: Payload?, library: LibraryID?, verification: UInt32,
    writtenAt: Instant
  ) {
    self.key = key
    self.version = version
    self.payload = payload
    self.library = library
    self.verification = verification
    self.writtenAt = writtenAt
  }

  /// Returns the entity with its value in another form, such as bytes.
  func mapPayload<Other>(_ transform: (Payload) -> Other?) -> StoredEntity<Other> {
    StoredEntity<Other>(
      key: key, version: version, payload: payload.flatMap(transform), library: library,
      verification: verification, writtenAt: writtenAt)
  }
}

extension StoredEntity: Equatable where Payload: Equatable {}
extension StoredEntity: Hashable where Payload: Hashable {}

/// One query's result as a storage keeps it.
public struct StoredQuery: Hashable, Sendable {
  public var key: QueryKey
  /// The members in the server's order, duplicates included; `nil` in a batch if unchanged.
  public var members: [EntityKey]?
  /// Whether the server has rows after the last member.
  public var hasMore: Bool
  /// Whether the members are in the schema's order.
  public var isSorted: Bool
  /// Whether the app has tagged it.
  public var isTagged: Bool
  /// The time of the fetch, by the wall clock.
  public var fetchedAt: Instant
  /// The time of the last read, by the wall clock.
  public var lastReadAt: Instant
  /// The stream position at which the result was read.
  public var place: StoredPlace?
  /// The number of the library's last verification when the result was fetched.
  public var verification: UInt32
  /// Whether the result may be outdated.
  public var isMarkedStale: Bool
  /// The stream position of the change that made it stale; `nil`: only a later fetch includes it.
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

/// A position in a stream.
public struct StoredPlace: Hashable, Sendable {
  public var stream: StreamID
  public var position: StreamPosition

  @inlinable public init(stream: StreamID, position: StreamPosition) {
    self.stream = stream
    self.position = position
  }
}

/// A query's last read, if nothing else of it has changed.
public struct StoredUse: Hashable, Sendable {
  public var key: QueryKey
  /// By the wall clock.
  public var lastReadAt: Instant

  @inlinable public init(key: QueryKey, lastReadAt: Instant) {
    self.key = key
    self.lastReadAt = lastReadAt
  }
}

/// The store's progress in its streams, and what is unverified since.
public struct StoredProgress: Hashable, Sendable {
  public var streams: [StoredStream] = []
  public var libraries: [StoredLibrary] = []
  /// The number of verifications of all libraries.
  public var verifications: UInt32 = 0
  /// Whether the store ever received data of an unknown library.
  public var holdsUnowned = false
  /// The newest version of all entities of which nothing is kept.
  public var forgotten = Version.none

  @inlinable public init() {}
}

/// A stream's cursor.
public struct StoredStream: Hashable, Sendable {
  public var id: StreamID
  /// The last event that was applied together with all before it.
  public var cursor: StreamPosition
  /// The position at which the store began to follow the stream.
  public var baseline: StreamPosition
  /// The highest sequence number known of the stream.
  public var known: UInt64

  @inlinable public init(
    id: StreamID, cursor: StreamPosition, baseline: StreamPosition, known: UInt64
  ) {
    self.id = id
    self.cursor = cursor
    self.baseline = baseline
    self.known = known
  }
}

/// The verification state of one library.
///
/// The fields are those of the store's own record.
public struct StoredLibrary: Hashable, Sendable {
  public var id: LibraryID
  public var verification: UInt32 = 0
  public var verifiedAt: StoredPlace?
  public var unplacedVerification: UInt32 = 0
  public var queryFloor: UInt32 = 0
  public var entityFloor: UInt32 = 0
  /// Partial invalidations, oldest first.
  public var notices: [Notice] = []
  /// The latest operations with bulk notices, oldest first.
  public var bulkTokens: [BulkToken] = []

  /// A partial invalidation and its number.
  public struct Notice: Hashable, Sendable {
    public var tag: InvalidationTag
    public var number: UInt32

    @inlinable public init(tag: InvalidationTag, number: UInt32) {
      self.tag = tag
      self.number = number
    }
  }

  /// An operation with a bulk notice.
  public struct BulkToken: Hashable, Sendable {
    public var token: UInt64
    /// Whether the notice had a stream position.
    public var isPlaced: Bool

    @inlinable public init(token: UInt64, isPlaced: Bool) {
      self.token = token
      self.isPlaced = isPlaced
    }
  }

  @inlinable public init(id: LibraryID) { self.id = id }
}

/// Estimates of the bytes of rows in a storage with tables.
@usableFromInline package enum StoredSize {
  /// The bytes of a row besides its contents: other columns, its cell, its share of half-empty pages.
  private static let row = 160
  /// The bytes of each member of a query.
  package static let member = 40

  @usableFromInline package static func ofEntity(payload: Int) -> Int { row + payload }

  /// A query's input is in its row and in an index.
  @usableFromInline package static func ofQuery(input: Int, members: Int) -> Int {
    row + 2 * input + member * members
  }
}

/// When a size-limited storage drops contents, and how much.
@usableFromInline package enum TrimMarks {
  /// Above this use contents are dropped.
  @usableFromInline package static func high(of maximumBytes: Int) -> Int { maximumBytes / 10 * 9 }
  /// The use at which dropping ends.
  @usableFromInline package static func low(of maximumBytes: Int) -> Int { maximumBytes / 2 }
}
