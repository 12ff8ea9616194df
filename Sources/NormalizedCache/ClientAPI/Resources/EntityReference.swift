public import CacheModel

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
