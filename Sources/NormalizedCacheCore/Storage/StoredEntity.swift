public import CacheModel

/// One entity as a storage keeps it: confirmed, never with a pending change on top.
public struct StoredEntity<Payload: Sendable>: Sendable {
  public var key: EntityKey
  public var version: Version
  /// `nil`: a query lists the entity, and of it only the version is known.
  public var payload: Payload?
  /// `nil` where no event or response has told it.
  public var library: LibraryID?
  /// The number of the library's last verification when the value was written.
  public var verification: UInt32
  /// When the value was last written, by the wall clock.
  public var writtenAt: Instant

  @inlinable public init(
    key: EntityKey, version: Version, payload: Payload?, library: LibraryID?, verification: UInt32,
    writtenAt: Instant
  ) {
    self.key = key
    self.version = version
    self.payload = payload
    self.library = library
    self.verification = verification
    self.writtenAt = writtenAt
  }

  /// The same entity with its value in another form, such as bytes; without one where there is none.
  func mapPayload<Other>(_ transform: (Payload) -> Other?) -> StoredEntity<Other> {
    StoredEntity<Other>(
      key: key, version: version, payload: payload.flatMap(transform), library: library,
      verification: verification, writtenAt: writtenAt)
  }
}

extension StoredEntity: Equatable where Payload: Equatable {}
extension StoredEntity: Hashable where Payload: Hashable {}
