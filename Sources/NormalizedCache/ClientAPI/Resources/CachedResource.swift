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
  public init?(_ entity: VersionedEntity<Self>) {
    self = entity.payload
  }
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
