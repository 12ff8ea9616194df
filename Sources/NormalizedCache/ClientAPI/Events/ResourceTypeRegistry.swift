public import CacheModel

/// The resource types of an app: the server's name, the cache's number, and the decoder of each.
///
/// An app registers each type once, at launch. A registry is a value: a task's copy does not change.
///
/// ```swift
/// var registry = ResourceTypeRegistry<Item>()
/// try registry.register("album", as: .album) { bytes in
///   let album = try JSONDecoder().decode(Album.self, from: Data(bytes))
///   return VersionedEntity(
///     key: EntityKey(type: .album, id: album.id), version: album.version, payload: .album(album))
/// }
/// ```
public struct ResourceTypeRegistry<Payload: Sendable>: Sendable {
  /// Decodes an item's bytes; an error affects that item alone.
  ///
  /// The entity must have the type under which the decoder is registered.
  public typealias Decoder = @Sendable ([UInt8]) throws -> VersionedEntity<Payload>

  @usableFromInline struct Entry: Sendable {
    @usableFromInline var type: ResourceType
    @usableFromInline var decode: Decoder

    @usableFromInline init(type: ResourceType, decode: @escaping Decoder) {
      self.type = type
      self.decode = decode
    }
  }

  @usableFromInline var entries: [TextKey: Entry] = [:]
  private var names: [ResourceType: String] = [:]

  public init() {}

  /// Adds a resource type.
  ///
  /// - Parameters:
  ///   - name: the server's name, compared byte by byte in UTF-8.
  ///   - type: the cache's type.
  ///   - decoder: decodes an entity from an item's bytes; called outside the cache's actor.
  /// - Throws: ``ResourceTypeRegistryError`` if the name or the type is taken; the registry is unchanged.
  public mutating func register(
    _ name: String, as type: ResourceType, decoder: @escaping Decoder
  ) throws(ResourceTypeRegistryError) {
    if let entry = entries[TextKey(name)] { throw .duplicateName(name, registeredAs: entry.type) }
    if let other = names[type] { throw .duplicateType(type, name: name, registeredAs: other) }
    entries[TextKey(name)] = Entry(type: type, decode: decoder)
    names[type] = name
  }

  /// Returns the cache's type for a server's name; `nil` if it is not registered.
  @inlinable public func type(named name: String) -> ResourceType? { entries[TextKey(name)]?.type }

  /// Returns the server's name of a resource type; `nil` if it is not registered.
  public func name(of type: ResourceType) -> String? { names[type] }

  @inlinable func entry(named name: String) -> Entry? { entries[TextKey(name)] }
}

/// Why a resource type cannot be registered.
public enum ResourceTypeRegistryError: Error, Hashable, Sendable, CustomStringConvertible {
  case duplicateName(String, registeredAs: ResourceType)
  case duplicateType(ResourceType, name: String, registeredAs: String)

  public var description: String {
    switch self {
    case .duplicateName(let name, let type):
      "\"\(name)\" is registered already, as resource type \(type.rawValue); register a name once"
    case .duplicateType(let type, let name, let other):
      "resource type \(type.rawValue) cannot be registered as \"\(name)\": it is registered as "
        + "\"\(other)\"; give each type a number of its own"
    }
  }
}

/// A message of the server, decoded for a cache.
public enum ServerMessage<Payload: Sendable>: Sendable {
  case event(EventEnvelope<Payload>)
  case heartbeat(EventPlace)
}

/// A wire event, decoded as far as possible.
public struct DecodedEvent<Payload: Sendable>: Sendable {
  /// `nil` only for a heartbeat without a place.
  public var message: ServerMessage<Payload>?
  /// The items that could not be decoded, in order.
  public var failures: [DecodingFailure]
  /// The names of unregistered resource types among items and keys, in order, with repetitions.
  public var unknownTypes: [String]

  @inlinable init(
    message: ServerMessage<Payload>?, failures: [DecodingFailure], unknownTypes: [String]
  ) {
    self.message = message
    self.failures = failures
    self.unknownTypes = unknownTypes
  }
}

/// An item that could not be decoded.
public struct DecodingFailure: Error, Sendable, CustomStringConvertible {
  public var type: String
  public var id: UniqueID?
  /// The decoder's error, or a ``DecodedEntityMismatch``.
  public var cause: any Error

  @usableFromInline init(type: String, id: UniqueID?, cause: any Error) {
    self.type = type
    self.id = id
    self.cause = cause
  }

  public var description: String {
    "an item of type \"\(type)\" (\(id.map { "\($0)" } ?? "id unknown")) cannot be decoded: \(cause)"
  }
}

/// A decoder returned a different entity than its item's frame names.
public struct DecodedEntityMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  public var decoded: EntityKey
  public var expectedType: ResourceType
  public var expectedID: UniqueID?

  @usableFromInline init(decoded: EntityKey, expectedType: ResourceType, expectedID: UniqueID?) {
    self.decoded = decoded
    self.expectedType = expectedType
    self.expectedID = expectedID
  }

  public var description: String {
    """
    the decoder returned entity \(decoded.id) of type \(decoded.type.rawValue) instead of \
    \(expectedID.map { "\($0)" } ?? "one") of type \(expectedType.rawValue)
    """
  }
}

extension ResourceTypeRegistry {
  /// Decodes an event item by item.
  ///
  /// An item that cannot be decoded does not affect the others: the event names it, so that the cache marks
  /// lists stale that may contain it. Items of unregistered types are left out. An event without remaining
  /// items keeps its stream position.
  @inlinable public func decode(_ event: WireEvent) -> DecodedEvent<Payload> {
    var decoded = DecodedEvent<Payload>(message: nil, failures: [], unknownTypes: [])
    let content: CacheEvent<Payload>
    switch event.content {
    case .heartbeat:
      decoded.message = event.place.map { .heartbeat($0) }
      return decoded
    case .infrastructure:
      content = .infrastructure
    case .changed(let items):
      content = decode(items, into: &decoded)
    case .deleted(let keys, let version):
      let known = keys.compactMap { key in
        knownType(key.type, in: &decoded).map { EntityKey(type: $0, id: key.id) }
      }
      content = known.isEmpty && !keys.isEmpty ? .infrastructure : .deleted(known, version: version)
    case .bulkNotice(let scope, let count, let token):
      content = decode(scope, count: count, token: token, into: &decoded)
    }
    var envelope = EventEnvelope(
      place: event.place, event: content, mutation: event.mutation, origin: event.origin)
    for creation in event.creations {
      guard let type = knownType(creation.type, in: &decoded) else { continue }
      let key = EntityKey(type: type, id: creation.clientID)
      envelope.keys[key] = EntityKey(type: type, id: creation.serverID)
    }
    decoded.message = .event(envelope)
    return decoded
  }

  @inlinable func decode(
    _ items: [WireItem], into decoded: inout DecodedEvent<Payload>
  ) -> CacheEvent<Payload> {
    var entities: [VersionedEntity<Payload>] = []
    entities.reserveCapacity(items.count)
    var undecodable: [UndecodableItem] = []
    for item in items {
      guard let entry = entry(named: item.type) else {
        decoded.unknownTypes.append(item.type)
        continue
      }
      do {
        entities.append(try Self.decode(item, by: entry))
      } catch {
        decoded.failures.append(DecodingFailure(type: item.type, id: item.id, cause: error))
        undecodable.append(UndecodableItem(type: entry.type, id: item.id))
      }
    }
    if !undecodable.isEmpty { return .partlyDecoded(entities, undecodable: undecodable) }
    if let only = entities.first, entities.count == 1 { return .changed(only) }
    return entities.isEmpty ? .infrastructure : .batchChanged(entities)
  }

  @inlinable static func decode(
    _ item: WireItem, by entry: Entry
  ) throws -> VersionedEntity<Payload> {
    let entity = try entry.decode(item.bytes)
    guard entity.key.type == entry.type, item.id == nil || item.id == entity.key.id else {
      throw DecodedEntityMismatch(
        decoded: entity.key, expectedType: entry.type, expectedID: item.id)
    }
    return entity
  }

  @inlinable func decode(
    _ scope: WireScope, count: Int, token: UInt64, into decoded: inout DecodedEvent<Payload>
  ) -> CacheEvent<Payload> {
    var tag = InvalidationTag(library: scope.library, location: scope.location)
    if let name = scope.type {
      guard let type = knownType(name, in: &decoded) else { return .infrastructure }
      tag.resourceType = type
    }
    return .bulkNotice(scope: tag, count: count, token: token)
  }

  @inlinable func knownType(
    _ name: String, in decoded: inout DecodedEvent<Payload>
  ) -> ResourceType? {
    let type = type(named: name)
    if type == nil { decoded.unknownTypes.append(name) }
    return type
  }
}
