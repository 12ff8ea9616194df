public import CacheModel

/// How far a store has followed its streams, and what it doubts since.
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

/// What is known, and doubted, of one library.
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

  @inlinable public init(id: LibraryID) {
    self.id = id
  }
}
