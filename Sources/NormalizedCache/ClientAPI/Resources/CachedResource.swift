public import CacheModel

/// A type of the app, read from the cache's payload.
///
/// A cache has one payload for all resource types, often an enumeration of them. Each type says how to read
/// it from the payload; views, references and relations are then typed:
/// ```swift
/// extension Album: CachedResource {
///   static let resourceType = ResourceType.album
///   init?(_ entity: VersionedEntity<Item>) {
///     guard case .album(let album) = entity.payload else { return nil }
///     self = album
///   }
/// }
/// ```
public protocol CachedResource<Payload>: Sendable {
  associatedtype Payload: Sendable

  static var resourceType: ResourceType { get }

  /// Reads the value; `nil` if the entity has another type.
  init?(_ entity: VersionedEntity<Payload>)
}

extension CachedResource where Payload == Self {
  /// Uses the payload itself as the value, for a cache of one type.
  public init?(_ entity: VersionedEntity<Self>) { self = entity.payload }
}

extension CachedResource {
  /// - Throws: ``ResourceTypeMismatch`` if the entity has another type.
  @inlinable static func value(
    of entity: VersionedEntity<Payload>
  ) throws(ResourceTypeMismatch) -> Self {
    guard entity.key.type == resourceType, let value = Self(entity) else {
      throw ResourceTypeMismatch(key: entity.key, expected: resourceType)
    }
    return value
  }
}

/// An entity has a different type than the one that the app expects.
public struct ResourceTypeMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  public var key: EntityKey
  public var expected: ResourceType

  @inlinable init(key: EntityKey, expected: ResourceType) {
    self.key = key
    self.expected = expected
  }

  public var description: String {
    """
    entity \(key.id) of resource type \(key.type.rawValue) cannot be read as resource type \
    \(expected.rawValue); check the query's result type and the type's `init?(_:)`
    """
  }
}

/// A typed reference to an entity: its key, without its value.
///
/// A payload holds references instead of embedding entities, so that each entity is stored once and an event
/// changes it everywhere. Resolve a reference when its value is needed.
public struct EntityReference<Value: CachedResource>: Hashable, Sendable, Codable {
  public var id: UniqueID
  public var library: LibraryID

  public init(_ id: UniqueID, in library: LibraryID) {
    self.id = id
    self.library = library
  }

  @inlinable public var key: EntityKey { EntityKey(type: Value.resourceType, id: id) }

  /// Returns the value: from the cache if it is fresh, otherwise from the server; `nil` for a dangling
  /// reference, whose entity the server does not have.
  ///
  /// Concurrent calls for one entity share one fetch.
  ///
  /// - Complexity: O(1).
  /// - Throws: the source's error, `CancellationError`, or ``ResourceTypeMismatch``.
  @inlinable public func resolve<Schema: CacheSchema>(
    in cache: NormalizedCache<Schema>
  ) async throws -> Value? where Schema.Payload == Value.Payload {
    guard let entity = try await cache.fetchEntity(key, library: library) else { return nil }
    return try Value.value(of: entity)
  }

  /// Returns the value as the cache has it now, fresh or not; `nil` if it is not in memory.
  ///
  /// It sends no request and does not count as a use.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``ResourceTypeMismatch``.
  @inlinable public func cached<Schema: CacheSchema>(
    in cache: NormalizedCache<Schema>
  ) async throws(ResourceTypeMismatch) -> Value? where Schema.Payload == Value.Payload {
    guard let entity = await cache.entity(key) else { return nil }
    return try Value.value(of: entity)
  }
}

extension EntityReference: CustomStringConvertible {
  public var description: String { "\(Value.self) \(id)" }
}
