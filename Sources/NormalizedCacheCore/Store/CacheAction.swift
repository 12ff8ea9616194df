public import CacheModel

/// A request of the store to its shell.
///
/// The store decides; the shell performs the actions.
public enum CacheAction: Sendable, Hashable {
  /// Fetch from the server, then call ``CacheStore/completeFetch(_:with:at:)`` or
  /// ``CacheStore/failFetch(_:at:)``.
  case fetch(FetchID, FetchRequest)
  /// Ask the server for the events missed after a position, then call
  /// ``CacheStore/completeReconcile(_:with:at:)`` or ``CacheStore/failReconcile(_:at:)``.
  case reconcile(ReconcileID, stream: StreamID, after: StreamPosition, form: ReconcileForm)
  /// Notify the query's observers that its rows changed; at most once per query and commit.
  ///
  /// The number is the one that the shell passed to ``CacheStore/addObserver(of:as:at:)``, so that it need
  /// not look up the key; −1: none.
  case notify(QueryKey, observedAs: Int32)
  /// Send the mutation to the server, then report the result to the store.
  case send(MutationToken)
  /// Take a batch, write it to the storage, then report the result to the store.
  case flush
}

/// A fetch in flight.
public struct FetchID: Hashable, Sendable {
  @usableFromInline package let number: UInt64
  @inlinable package init(number: UInt64) { self.number = number }
}

public enum FetchTarget: Hashable, Sendable {
  case query(QueryKey)
  case entity(EntityKey)
}

/// A request to the server.
public struct FetchRequest: Hashable, Sendable {
  public var target: FetchTarget
  /// The stream position of the answer that the cache still has unchanged; `nil`: there is none.
  ///
  /// A server whose answer is the same may return ``FetchResponse/notModified(at:)``.
  public var unlessChangedSince: EventPlace?

  @inlinable public init(target: FetchTarget, unlessChangedSince: EventPlace? = nil) {
    self.target = target
    self.unlessChangedSince = unlessChangedSince
  }
}

/// A reconcile in flight.
public struct ReconcileID: Hashable, Sendable {
  @usableFromInline package let number: UInt64
  @inlinable package init(number: UInt64) { self.number = number }
}

/// The form in which missed events are requested.
public enum ReconcileForm: Hashable, Sendable {
  /// The events themselves.
  case events
  /// Only the affected data, as invalidation tags.
  case outline
}

/// The server's answer to a fetch.
public struct FetchResponse<Payload: Sendable>: Sendable {
  /// The rows in the server's order; an entity may be repeated.
  ///
  /// At most one for the fetch of an entity, none if it does not exist.
  public var entities: [VersionedEntity<Payload>]
  /// Whether the server has more rows beyond the query's limit.
  public var hasMore: Bool
  /// The stream position at which the answer was read; `nil` without a stream.
  public var place: EventEnvelope<Payload>.Place?
  /// Whether the answer equals the one at the request's position, and is omitted.
  public private(set) var isNotModified = false

  @inlinable public init(
    entities: [VersionedEntity<Payload>], hasMore: Bool, place: EventEnvelope<Payload>.Place?
  ) {
    self.entities = entities
    self.hasMore = hasMore
    self.place = place
  }

  /// Returns a response without rows: the answer is the same as at the request's position in rows, values,
  /// order, and whether there are more.
  ///
  /// - Parameter place: the server's current stream position.
  /// - Returns: the response.
  public static func notModified(at place: EventEnvelope<Payload>.Place) -> FetchResponse {
    var response = FetchResponse(entities: [], hasMore: false, place: place)
    response.isNotModified = true
    return response
  }
}

/// The result for callers that waited for a fetch.
public enum FetchEnding: Hashable, Sendable {
  /// The answer, as ``CacheStore/rows(of:answeredBy:)`` returns it.
  case answered
  /// The cached rows, though expired: see ``Freshness/staleIfError``.
  case servedExpired
  /// The source's error.
  case failed
  /// The store's error: the response does not answer the request.
  case rejected(ResponseError)
  /// None yet: the fetch continues with another request, which is among the actions.
  case askedAgain
}

/// The server's answer to a reconcile.
public enum ReconcileResponse<Payload: Sendable>: Sendable {
  /// The missed events in order, up to and including a position.
  case events([EventEnvelope<Payload>], through: StreamPosition)
  /// The data affected by the missed events, up to and including a position.
  case outline([InvalidationTag], through: StreamPosition)
  /// The server no longer has them; its stream is now at this position.
  case tooOld(now: StreamPosition)

  /// The position that the server had reached.
  @inlinable var reached: StreamPosition {
    switch self {
    case .events(_, let position), .outline(_, let position), .tooOld(let position): position
    }
  }
}

/// How a read of a query was answered.
///
/// Reports use the same names. The simulator adds whether served rows equal the server's state, which the
/// store cannot know.
public enum ReadOutcome: UInt8, Sendable, Hashable, CaseIterable {
  /// Served without waiting: complete and not known to be stale, or expired within the window of
  /// stale-while-revalidate.
  case hit
  /// The query is cached, but a member is missing, or only its summary is cached and the query shows more;
  /// takes precedence over ``missEvicted``. For an entity: only a summary is cached.
  case partial
  /// Never requested before, as far as the cache remembers.
  case missCold
  /// The result was older than its time to live.
  case missExpired
  /// The result was removed: to make space, or because it had no observer.
  case missEvicted
  /// The result was marked stale.
  case missInvalidated
  /// Nothing to serve; the read joined a fetch in flight.
  case coalesced
  /// The query is never cached.
  case bypass

  /// The name in reports and recordings.
  package var word: String {
    switch self {
    case .hit: "hit"
    case .partial: "partial"
    case .missCold: "miss_cold"
    case .missExpired: "miss_expired"
    case .missEvicted: "miss_evicted"
    case .missInvalidated: "miss_invalidated"
    case .coalesced: "coalesced"
    case .bypass: "bypass"
    }
  }
}

/// The answer to a read of a query.
public struct QueryRead: Sendable, Hashable {
  public var outcome: ReadOutcome
  /// The fetch that will bring the result, or a newer one after an expired hit; `nil` for any other hit.
  public var fetch: FetchID?
  /// Whether served rows are older than their time to live: see ``Freshness/staleWhileRevalidate``.
  public var isExpired: Bool
  @inlinable package init(outcome: ReadOutcome, fetch: FetchID? = nil, isExpired: Bool = false) {
    self.outcome = outcome
    self.fetch = fetch
    self.isExpired = isExpired
  }
}

/// The answer to a read of one entity.
public struct EntityRead<Payload: Sendable>: Sendable {
  public var outcome: ReadOutcome
  /// The value, even if not known to be fresh; `nil` if there is none, or only a summary.
  public var entity: VersionedEntity<Payload>?
  /// The fetch that will bring it, or a newer value after an expired hit; `nil` for any other hit.
  public var fetch: FetchID?
  /// Whether a hit is older than its time to live.
  public var isExpired: Bool
  @inlinable package init(
    outcome: ReadOutcome, entity: VersionedEntity<Payload>? = nil, fetch: FetchID? = nil,
    isExpired: Bool = false
  ) {
    self.outcome = outcome
    self.entity = entity
    self.fetch = fetch
    self.isExpired = isExpired
  }
}
