public import CacheModel

/// Keeps a cache up to date from any sequence of events: a web socket, a pipe or a test script.
///
/// It takes one event at a time, decodes it outside the cache's actor, applies it there in one commit, and
/// only then requests the next. It has no queue, so a sequence with a bounded buffer is bounded altogether.
/// Events of one sequence are applied in its order. An updater may consume several sequences at once, one for
/// each stream.
///
/// ```swift
/// let updater = EventCacheUpdater(cache: cache, registry: registry)
/// let following = Task { try await updater.consume(socket.events) }
/// ```
///
/// After a lost connection, consume the events of the new one: the cache requests the missed events by
/// itself. An updater keeps its cache alive; cancel the consuming task to release both.
public final actor EventCacheUpdater<Schema: CacheSchema> {
  public typealias Payload = Schema.Payload

  @usableFromInline let cache: NormalizedCache<Schema>
  @usableFromInline let registry: ResourceTypeRegistry<Payload>
  @usableFromInline let library: LibraryID?
  @usableFromInline let onFailure: (@Sendable (DecodingFailure) -> Void)?

  @usableFromInline var counted = EventTally()

  /// The counts so far.
  public var tally: EventTally { counted }

  /// Creates an updater.
  ///
  /// - Parameters:
  ///   - cache: the cache to keep up to date.
  ///   - registry: decodes wire events; not needed for decoded envelopes.
  ///   - library: the library of events without a stream position; `nil`: unknown, so that they may concern
  ///     any library.
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
  /// An event received from the sequence is applied even if the sequence fails or the task is cancelled
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

  /// Applies decoded envelopes until the sequence ends or the task is cancelled.
  ///
  /// An envelope received from the sequence is applied even if the sequence fails or the task is cancelled
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

/// The counts of an ``EventCacheUpdater`` since its creation.
public struct EventTally: Hashable, Sendable {
  /// Events applied, without heartbeats.
  public private(set) var events = 0
  public private(set) var heartbeats = 0
  /// Items that could not be decoded.
  public private(set) var undecodableItems = 0
  /// Items and keys whose resource type is not registered.
  public private(set) var unknownItems = 0
  /// Unknown items by the server's name of their type, for the first ``maximumNames`` names.
  ///
  /// Names come from the network, so their number and length are bounded; the others are counted in
  /// ``unknownItems`` alone.
  public private(set) var unknownTypes: [String: Int] = [:]

  public static let maximumNames = 64
  /// The maximum length of a counted name, in bytes of UTF-8.
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

/// An event as received from the network: framed, with values that are still bytes.
///
/// An app's transport creates it; a ``ResourceTypeRegistry`` decodes it.
public struct WireEvent: Hashable, Sendable {
  /// The stream position; `nil`: the event is applied without gap detection.
  public var place: EventPlace?
  public var content: Content
  /// The client's change behind this event; `nil` if unknown.
  public var mutation: MutationToken?
  /// The entities that this change created under the client's own keys.
  public var creations: [WireCreation]
  /// The cause of a batch; `nil` if unknown.
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

  /// The contents of an event, with the server's names of resource types.
  public enum Content: Hashable, Sendable {
    /// Complete entities that were created or changed, applied together.
    case changed([WireItem])
    case deleted([WireKey], version: Version)
    /// More changed than the server sends as items.
    case bulkNotice(WireScope, count: Int, token: UInt64)
    /// Job progress and the like; no query is affected.
    case infrastructure
    /// The stream's current position, without a change.
    case heartbeat
  }
}

/// One entity of an event.
public struct WireItem: Hashable, Sendable {
  /// The server's name of the resource type.
  public var type: String
  /// The identifier; `nil` if only the bytes contain it.
  ///
  /// With it, an item that cannot be decoded can still be identified.
  public var id: UniqueID?
  public var bytes: [UInt8]

  public init(type: String, id: UniqueID? = nil, bytes: [UInt8]) {
    self.type = type
    self.id = id
    self.bytes = bytes
  }
}

/// An entity's key with the server's name of its type.
public struct WireKey: Hashable, Sendable {
  public var type: String
  public var id: UniqueID

  public init(type: String, id: UniqueID) {
    self.type = type
    self.id = id
  }
}

/// An entity that a client created under its own key, and the key that the server gave it.
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

/// The entities that a bulk notice concerns: all of a library, or those that match the given fields.
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
