public import CacheModel

/// A type of the app's own, as it is read from what the cache holds.
///
/// A cache has one payload for all resource types, often an enumeration of them. Each type says once
/// how it is found in there, and views, references and relations are typed from then on:
///
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

  /// Reads the value; `nil` where the entity is something else.
  init?(_ entity: VersionedEntity<Payload>)
}

extension CachedResource where Payload == Self {
  /// The payload itself is the value, where a cache holds one type only.
  public init?(_ entity: VersionedEntity<Self>) { self = entity.payload }
}

extension CachedResource {
  /// - Throws: ``ResourceTypeMismatch`` where the entity is something else.
  @inlinable static func value(
    of entity: VersionedEntity<Payload>
  ) throws(ResourceTypeMismatch) -> Self {
    guard entity.key.type == resourceType, let value = Self(entity) else {
      throw ResourceTypeMismatch(key: entity.key, expected: resourceType)
    }
    return value
  }
}

/// An entity is of another type than the app reads it as.
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

/// One entity's reference to another: its name, and how it is read, but not its value.
///
/// A payload holds references instead of embedding what it refers to, so that each entity is kept
/// once and an event changes it everywhere. A reference is resolved when somebody needs the value.
public struct EntityReference<Value: CachedResource>: Hashable, Sendable, Codable {
  public var id: UniqueID
  public var library: LibraryID

  public init(_ id: UniqueID, in library: LibraryID) {
    self.id = id
    self.library = library
  }

  @inlinable public var key: EntityKey { EntityKey(type: Value.resourceType, id: id) }

  /// The value: from the cache where it is fresh, else from the server; `nil` where the server has
  /// none, so that the reference dangles.
  ///
  /// Concurrent calls for one entity share one fetch. O(1).
  ///
  /// - Throws: the source's error, `CancellationError`, or ``ResourceTypeMismatch``.
  @inlinable public func resolve<Schema: CacheSchema>(
    in cache: NormalizedCache<Schema>
  ) async throws -> Value? where Schema.Payload == Value.Payload {
    guard let entity = try await cache.fetchEntity(key, library: library) else { return nil }
    return try Value.value(of: entity)
  }

  /// The value as the cache has it now, fresh or not; `nil` where it is not resident.
  ///
  /// Asks no server and does not count as a use. O(1).
  ///
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
