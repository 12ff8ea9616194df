public import CacheModel

/// An event as it came over the wire: framed, but with values that are still bytes.
///
/// An app's transport makes these; a ``ResourceTypeRegistry`` turns them into what a cache applies.
public struct WireEvent: Hashable, Sendable {
  /// `nil` for an event without sequence, which is applied without gap logic.
  public var place: EventPlace?
  public var content: Content
  /// The client's change of which this event tells; `nil` where it is not told.
  public var mutation: MutationToken?
  /// What that change created under keys of the client's own.
  public var creations: [WireCreation]
  /// What a batch comes from; `nil` where that is not told.
  public var origin: EventOrigin?

  public init(
    place: EventPlace?, content: Content, mutation: MutationToken? = nil,
    creations: [WireCreation] = [], origin: EventOrigin? = nil
  ) {
    self.place = place
    self.content = content
    self.mutation = mutation
    self.creations = creations
    self.origin = origin
  }

  /// What an event tells, with resource types by the names that the server gives them.
  public enum Content: Hashable, Sendable {
    /// Whole entities, created or changed: applied together.
    case changed([WireItem])
    case deleted([WireKey], version: Version)
    /// So much changed that the items are not sent.
    case bulkNotice(WireScope, count: Int, token: UInt64)
    /// Job progress and the like: concerns no data query.
    case infrastructure
    /// The stream has come as far as the event's place; nothing happened there.
    case heartbeat
  }
}

/// One entity of an event.
public struct WireItem: Hashable, Sendable {
  /// The resource type, as the server calls it.
  public var type: String
  /// `nil` where the frame does not tell; the bytes do.
  ///
  /// With it an item that cannot be decoded is known by name.
  public var id: UniqueID?
  public var bytes: [UInt8]

  public init(type: String, id: UniqueID? = nil, bytes: [UInt8]) {
    self.type = type
    self.id = id
    self.bytes = bytes
  }
}

/// Names an entity as the server does.
public struct WireKey: Hashable, Sendable {
  public var type: String
  public var id: UniqueID

  public init(type: String, id: UniqueID) {
    self.type = type
    self.id = id
  }
}

/// An entity that a client created under a key of its own, and what the server calls it.
public struct WireCreation: Hashable, Sendable {
  public var type: String
  public var clientID: UniqueID
  public var serverID: UniqueID

  public init(type: String, clientID: UniqueID, serverID: UniqueID) {
    self.type = type
    self.clientID = clientID
    self.serverID = serverID
  }
}

/// What a bulk notice concerns: everything of a library, or what matches the fields that are given.
public struct WireScope: Hashable, Sendable {
  public var library: LibraryID
  public var location: UniqueID?
  public var type: String?

  public init(library: LibraryID, location: UniqueID? = nil, type: String? = nil) {
    self.library = library
    self.location = location
    self.type = type
  }
}
