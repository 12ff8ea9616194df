/// One entity as an event or a response carries it.
public struct VersionedEntity<Payload: Sendable>: Sendable {
  public var key: EntityKey
  public var version: Version
  public var payload: Payload

  @inlinable public init(key: EntityKey, version: Version, payload: Payload) {
    self.key = key
    self.version = version
    self.payload = payload
  }
}

extension VersionedEntity: Equatable where Payload: Equatable {}
extension VersionedEntity: Hashable where Payload: Hashable {}

/// What happened, as the server tells it.
public enum CacheEvent<Payload: Sendable>: Sendable {
  /// One whole entity, created or changed.
  case changed(VersionedEntity<Payload>)
  /// Many whole entities at once, applied atomically.
  case batchChanged([VersionedEntity<Payload>])
  /// Entities that are gone: one, or a whole subtree.
  case deleted([EntityKey], version: Version)
  /// So much changed that the items are not sent: what is touched by the scope is stale.
  ///
  /// `token` names the operation; the same token twice marks once.
  case bulkNotice(scope: InvalidationTag, count: Int, token: UInt64)
  /// Many whole entities of which some could not be decoded: these cost only themselves.
  ///
  /// What may list them is stale, the others are applied as one batch.
  case partlyDecoded([VersionedEntity<Payload>], undecodable: [UndecodableItem])
  /// Job progress and the like: concerns no data query.
  case infrastructure
}

/// An item of an event whose value could not be decoded, as far as it is known what it was.
public struct UndecodableItem: Hashable, Sendable {
  public var type: ResourceType
  /// `nil`: it may be any entity of its type.
  public var id: UniqueID?

  public init(type: ResourceType, id: UniqueID?) {
    self.type = type
    self.id = id
  }
}

/// Names one change that a client asks the server for, wherever it is spoken of: while it is
/// pending, when it is sent again, and in the event that tells of it.
///
/// The server carries out one token once.
public struct MutationToken: RawRepresentable, Hashable, Comparable, Sendable {
  public var rawValue: UniqueID

  public init(rawValue: UniqueID) {
    self.rawValue = rawValue
  }

  public static func < (lhs: MutationToken, rhs: MutationToken) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}

/// A place in a stream: of an event, or of what was read there.
public struct EventPlace: Hashable, Sendable {
  public var stream: StreamID
  public var position: StreamPosition
  /// The sequence of the event before this one, where a subscription is told of some only; `nil`:
  /// one less than its own.
  public var previous: UInt64?

  public init(stream: StreamID, position: StreamPosition, previous: UInt64? = nil) {
    self.stream = stream
    self.position = position
    self.previous = previous
  }
}

extension EventPlace {
  /// The sequence that must have been applied before this one: 0 before the first.
  @inlinable public var sequenceBefore: UInt64 {
    previous ?? (position.sequence > 0 ? position.sequence - 1 : 0)
  }
}

/// An event on its way to a client.
public struct EventEnvelope<Payload: Sendable>: Sendable {
  /// The stream and the place in it; `nil` for events without sequence, which are applied without
  /// gap logic.
  public var place: Place?
  public var event: CacheEvent<Payload>
  /// The client's change of which this event tells; `nil` where it is not told.
  ///
  /// A pending change ends when its event comes, so that nothing is shown twice.
  public var mutation: MutationToken?
  /// The server's keys of what that change created under keys of the client's own.
  ///
  /// Where they are not told, other pending changes of what was created show again only when the
  /// change's response tells them.
  public var keys: [EntityKey: EntityKey]
  /// What a batch comes from; `nil` where that is not told, or the event is no batch.
  public var origin: EventOrigin?

  public typealias Place = EventPlace

  @inlinable public init(
    place: Place?, event: CacheEvent<Payload>, mutation: MutationToken? = nil,
    keys: [EntityKey: EntityKey] = [:], origin: EventOrigin? = nil
  ) {
    self.place = place
    self.event = event
    self.mutation = mutation
    self.keys = keys
    self.origin = origin
  }
}
