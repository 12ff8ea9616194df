public import CacheModel

/// What changed in a cache since the batch before, taken between two commits: written whole or not
/// at all.
///
/// Removals come before writes: an entity may be in both. `Payload` and `Mutation` are the app's typed
/// values in a store, and bytes in a ``CacheStorage``.
public struct StorageBatch<Payload: Sendable, Mutation: Sendable>: Sendable {
  /// Counts the batches of one store, from 1.
  public var number: UInt64
  /// The version of the app's schema in which values are encoded; 0 before they are.
  public var schemaVersion = 0
  /// Whether everything that is stored and not in the batch goes.
  public var replacesAll: Bool
  public var removedEntities: [EntityKey] = []
  /// One for each entity, however often it was written.
  public var entities: [StoredEntity<Payload>] = []
  public var removedQueries: [QueryKey] = []
  public var queries: [StoredQuery] = []
  public var uses: [StoredUse] = []
  public var progress = StoredProgress()
  /// The mutations that wait for the server, in order; `nil` where they are as they were.
  public var outbox: [Mutation]?

  @inlinable public init(number: UInt64, replacesAll: Bool) {
    self.number = number
    self.replacesAll = replacesAll
  }
}

/// Everything that a storage holds.
public struct StoredState<Payload: Sendable, Mutation: Sendable>: Sendable {
  /// The version of the app's schema in which values are, or were, encoded.
  public var schemaVersion = 0
  /// In any order, each once.
  public var entities: [StoredEntity<Payload>]
  /// In any order, each once, each with its members.
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
  /// `nil`: a query lists the entity, and of it only the version is known.
  public var payload: Payload?
  /// `nil` if no event or response named it.
  public var library: LibraryID?
  /// The number of the library's last verification when the value was written.
  public var verification: UInt32
  /// When the value was last written, by the wall clock.
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

  /// The same entity with its value in another form, such as bytes; without one where there is none.
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

/// How far a store has followed its streams, and what is unverified since.
public struct StoredProgress: Hashable, Sendable {
  public var streams: [StoredStream] = []
  public var libraries: [StoredLibrary] = []
  /// Counts the verifications of all libraries.
  public var verifications: UInt32 = 0
  /// Whether the store ever took something whose library is not known.
  public var holdsUnowned = false
  /// The newest version of all entities of which nothing is kept.
  public var forgotten = Version.none

  @inlinable public init() {}
}

/// A stream's cursor.
public struct StoredStream: Hashable, Sendable {
  public var id: StreamID
  /// The last event that was applied with all before it.
  public var cursor: StreamPosition
  /// Where the store began to follow it.
  public var baseline: StreamPosition
  /// The highest sequence that the stream is known to have reached.
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

/// What is verified of one library, and what is not.
///
/// The fields are those of the store's own record of it.
public struct StoredLibrary: Hashable, Sendable {
  public var id: LibraryID
  public var verification: UInt32 = 0
  public var verifiedAt: StoredPlace?
  public var unplacedVerification: UInt32 = 0
  public var queryFloor: UInt32 = 0
  public var entityFloor: UInt32 = 0
  /// Partial invalidations, oldest first.
  public var notices: [Notice] = []
  /// The latest operations that were announced in bulk, oldest first.
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

  /// An operation that was announced in bulk.
  public struct BulkToken: Hashable, Sendable {
    public var token: UInt64
    /// Whether it was announced in a stream.
    public var isPlaced: Bool

    @inlinable public init(token: UInt64, isPlaced: Bool) {
      self.token = token
      self.isPlaced = isPlaced
    }
  }

  @inlinable public init(id: LibraryID) { self.id = id }
}

/// What rows take in a storage with tables, as far as it is known beforehand.
@usableFromInline package enum StoredSize {
  /// What a row takes beside its bytes: its other columns, its cell, its share of half-empty pages.
  private static let row = 160
  /// What a query takes for each of its members.
  package static let member = 40

  @usableFromInline package static func ofEntity(payload: Int) -> Int { row + payload }

  /// A query's input stands in its row and in an index.
  @usableFromInline package static func ofQuery(input: Int, members: Int) -> Int {
    row + 2 * input + member * members
  }
}

/// When a storage that is held to a size drops something, and how much.
@usableFromInline package enum TrimMarks {
  /// More than this in use, and something is dropped.
  @usableFromInline package static func high(of maximumBytes: Int) -> Int { maximumBytes / 10 * 9 }
  /// Until so much is left.
  @usableFromInline package static func low(of maximumBytes: Int) -> Int { maximumBytes / 2 }
}
