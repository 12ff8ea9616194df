/// One entity as an event or a response carries it.
public struct VersionedEntity<Payload: Sendable>: Sendable {
  public var key: EntityKey
  public var version: Version
  public var payload: Payload

  public init(key: EntityKey, version: Version, payload: Payload) {
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
  /// Job progress and the like: concerns no data query.
  case infrastructure
}

/// An event on its way to a client.
public struct EventEnvelope<Payload: Sendable>: Sendable {
  /// The stream and the place in it; `nil` for events without sequence, which are applied without
  /// gap logic.
  public var place: Place?
  public var event: CacheEvent<Payload>

  public struct Place: Hashable, Sendable {
    public var stream: StreamID
    public var position: StreamPosition

    public init(stream: StreamID, position: StreamPosition) {
      self.stream = stream
      self.position = position
    }
  }

  public init(place: Place?, event: CacheEvent<Payload>) {
    self.place = place
    self.event = event
  }
}
