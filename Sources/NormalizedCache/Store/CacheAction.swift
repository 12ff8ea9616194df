public import CacheModel

/// What the store asks of its shell.
///
/// Decisions are the store's; doing is the shell's.
public enum CacheAction: Sendable, Hashable {
  /// Ask the server, then call ``CacheStore/completeFetch(_:with:at:)`` or
  /// ``CacheStore/failFetch(_:at:)``.
  case fetch(FetchID, FetchTarget)
  /// Ask the server what was missed after a position, then call
  /// ``CacheStore/completeReconcile(_:with:at:)`` or ``CacheStore/failReconcile(_:at:)``.
  case reconcile(ReconcileID, stream: StreamID, after: StreamPosition, form: ReconcileForm)
  /// Tell whoever observes the query that its rows changed. One per query and commit.
  case notify(QueryKey)
  /// Send the mutation to the server, then tell the store how it went.
  case send(MutationToken)
  /// Take what is to be written to the storage, write it, then tell the store how it went.
  case flush
}

/// A fetch in flight.
public struct FetchID: Hashable, Sendable {
  @usableFromInline let number: UInt64
  @inlinable init(number: UInt64) {
    self.number = number
  }
}

public enum FetchTarget: Hashable, Sendable {
  case query(QueryKey)
  case entity(EntityKey)
}

/// A reconcile in flight.
public struct ReconcileID: Hashable, Sendable {
  @usableFromInline let number: UInt64
  @inlinable init(number: UInt64) {
    self.number = number
  }
}

/// In which form missed events are asked for.
public enum ReconcileForm: Hashable, Sendable {
  /// The events themselves.
  case events
  /// Only what they touch, as invalidation tags.
  case outline
}

/// The server's answer to a fetch.
public struct FetchResponse<Payload: Sendable>: Sendable {
  /// In the server's order; an entity may occur twice.
  ///
  /// At most one for an entity's fetch, none where it does not exist.
  public var entities: [VersionedEntity<Payload>]
  /// Whether the server has more rows beyond the query's limit.
  public var hasMore: Bool
  /// The place in the stream at which the answer was read; `nil` where there is no stream.
  public var place: EventEnvelope<Payload>.Place?

  @inlinable public init(
    entities: [VersionedEntity<Payload>], hasMore: Bool, place: EventEnvelope<Payload>.Place?
  ) {
    self.entities = entities
    self.hasMore = hasMore
    self.place = place
  }
}

/// The server's answer to a reconcile.
public enum ReconcileResponse<Payload: Sendable>: Sendable {
  /// The missed events in order, up to and including a position.
  case events([EventEnvelope<Payload>], through: StreamPosition)
  /// What the missed events touch, up to and including a position.
  case outline([InvalidationTag], through: StreamPosition)
  /// The server no longer has them; it stands at this position.
  case tooOld(now: StreamPosition)
}
