public import CacheModel

/// Keeps a cache up to date from any sequence of events: the app's web socket, pipe or test script.
///
/// It takes one event at a time, decodes it here (never on the cache's actor), applies it there in one
/// commit, and only then asks for the next: it holds no queue of its own, so a sequence that bounds
/// its buffer is bounded altogether. Events of one sequence are applied in its order. An updater may
/// consume several sequences at once, one for each stream.
///
/// ```swift
/// let updater = EventCacheUpdater(cache: cache, registry: registry)
/// let following = Task { try await updater.consume(socket.events) }
/// ```
///
/// After a lost connection consume the events of the new one: what came between is a gap, which the
/// cache closes by itself. It keeps its cache alive; cancel the task that consumes to let both go.
public final actor EventCacheUpdater<Schema: CacheSchema> {
  public typealias Payload = Schema.Payload

  @usableFromInline let cache: NormalizedCache<Schema>
  @usableFromInline let registry: ResourceTypeRegistry<Payload>
  @usableFromInline let library: LibraryID?
  @usableFromInline let onFailure: (@Sendable (DecodingFailure) -> Void)?

  @usableFromInline var counted = EventTally()

  /// What has been counted so far.
  public var tally: EventTally { counted }

  /// Makes an updater.
  ///
  /// - Parameters:
  ///   - cache: what is kept up to date.
  ///   - registry: decodes wire events; not needed for ready envelopes.
  ///   - library: whose events they are that have no place in a stream; `nil`: not known, so that any
  ///     library may be concerned.
  ///   - onFailure: called with each item that cannot be decoded, before the rest of its event is applied.
  public init(
    cache: NormalizedCache<Schema>,
    registry: ResourceTypeRegistry<Payload> = ResourceTypeRegistry(), library: LibraryID? = nil,
    onFailure: (@Sendable (DecodingFailure) -> Void)? = nil
  ) {
    self.cache = cache
    self.registry = registry
    self.library = library
    self.onFailure = onFailure
  }

  /// Decodes and applies events until the sequence ends or the task is cancelled.
  ///
  /// What the sequence has handed over is applied, also when it fails or the task is cancelled
  /// afterwards.
  ///
  /// - Throws: the sequence's error.
  @inlinable public func consume<Events: AsyncSequence>(
    _ events: sending Events
  ) async throws(Events.Failure) where Events.Element == WireEvent {
    var iterator = events.makeAsyncIterator()
    while !Task.isCancelled, let event = try await iterator.next(isolation: self) {
      await apply(event)
    }
  }

  /// Applies ready envelopes until the sequence ends or the task is cancelled.
  ///
  /// What the sequence has handed over is applied, also when it fails or the task is cancelled
  /// afterwards.
  ///
  /// - Throws: the sequence's error.
  @inlinable public func consume<Events: AsyncSequence>(
    _ events: sending Events
  ) async throws(Events.Failure) where Events.Element == EventEnvelope<Payload> {
    var iterator = events.makeAsyncIterator()
    while !Task.isCancelled, let envelope = try await iterator.next(isolation: self) {
      await apply(.event(envelope))
    }
  }

  /// Decodes and applies one event; it is committed when this returns.
  @inlinable public func apply(_ event: WireEvent) async {
    let decoded = registry.decode(event)
    counted.countItems(undecodable: decoded.failures.count, unknown: decoded.unknownTypes)
    if let onFailure { for failure in decoded.failures { onFailure(failure) } }
    if let message = decoded.message { await apply(message) }
  }

  /// Applies one message; it is committed when this returns.
  @inlinable public func apply(_ message: ServerMessage<Payload>) async {
    switch message {
    case .event(let envelope):
      await cache.receive(envelope, library: library)
      counted.countEvent()
    case .heartbeat(let place):
      await cache.receiveHeartbeat(place)
      counted.countHeartbeat()
    }
  }
}

/// What an ``EventCacheUpdater`` has counted since it was made.
public struct EventTally: Hashable, Sendable {
  /// Events applied, heartbeats not among them.
  public private(set) var events = 0
  public private(set) var heartbeats = 0
  /// Items that could not be decoded.
  public private(set) var undecodableItems = 0
  /// Items and keys whose resource type is not registered.
  public private(set) var unknownItems = 0
  /// The same by the server's name of the type, for the first ``maximumNames`` names that came.
  ///
  /// Names come from the wire, so their number and length are bounded; what is beyond counts in
  /// ``unknownItems`` alone.
  public private(set) var unknownTypes: [String: Int] = [:]

  public static let maximumNames = 64
  /// The longest name that is kept, in bytes of UTF-8.
  public static let maximumNameLength = 256

  @usableFromInline init() {}

  @usableFromInline mutating func countEvent() { events += 1 }

  @usableFromInline mutating func countHeartbeat() { heartbeats += 1 }

  @usableFromInline mutating func countItems(undecodable: Int, unknown: [String]) {
    undecodableItems += undecodable
    for name in unknown { countUnknown(name) }
  }

  private mutating func countUnknown(_ name: String) {
    unknownItems += 1
    if let count = unknownTypes[name] {
      unknownTypes[name] = count + 1
    } else if unknownTypes.count < Self.maximumNames, name.utf8.count <= Self.maximumNameLength {
      unknownTypes[name] = 1
    }
  }
}

/// An event as it came over the wire: framed, but with values that are still bytes.
///
/// An app's transport makes these; a ``ResourceTypeRegistry`` turns them into what a cache applies.
public struct WireEvent: Hashable, Sendable {
  /// `nil` for an event without sequence, which is applied without gap logic.
  public var place: EventPlace?
  public var content: Content
  /// The client's change behind this event; `nil` if unknown.
  public var mutation: MutationToken?
  /// What that change created under keys of the client's own.
  public var creations: [WireCreation]
  /// What a batch comes from; `nil` if unknown.
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

  /// The contents of an event, with resource types by the names that the server gives them.
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
  /// `nil` if the frame does not say; the bytes do.
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
