public import CacheModel

/// What the store asks of its shell.
///
/// Decisions are the store's; doing is the shell's.
public enum CacheAction: Sendable, Hashable {
  /// Ask the server, then call ``CacheStore/completeFetch(_:with:at:)`` or
  /// ``CacheStore/failFetch(_:at:)``.
  case fetch(FetchID, FetchRequest)
  /// Ask the server what was missed after a position, then call
  /// ``CacheStore/completeReconcile(_:with:at:)`` or ``CacheStore/failReconcile(_:at:)``.
  case reconcile(ReconcileID, stream: StreamID, after: StreamPosition, form: ReconcileForm)
  /// Notify whoever observes the query that its rows changed. One per query and commit.
  ///
  /// Beside the key the number that the shell gave with ``CacheStore/addObserver(of:as:at:)``, so that it
  /// need not look the key up; −1: none was given.
  case notify(QueryKey, observedAs: Int32)
  /// Send the mutation to the server, then report to the store how it went.
  case send(MutationToken)
  /// Take what is to be written to the storage, write it, then report to the store how it went.
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

/// What a server is asked.
public struct FetchRequest: Hashable, Sendable {
  public var target: FetchTarget
  /// Where the cache has read the answer that it still has; `nil`: it has none, or has changed it.
  ///
  /// A server that knows the answer to be the same today may say just that:
  /// ``FetchResponse/notModified(at:)``.
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
  /// Whether the answer is the one that was read at the request's place, and is not repeated.
  public private(set) var isNotModified = false

  @inlinable public init(
    entities: [VersionedEntity<Payload>], hasMore: Bool, place: EventEnvelope<Payload>.Place?
  ) {
    self.entities = entities
    self.hasMore = hasMore
    self.place = place
  }

  /// The answer is the same as at the request's place: rows, values, order, and whether there are more.
  ///
  /// - Parameter place: where the server stands now.
  /// - Returns: the response, which lists nothing.
  public static func notModified(at place: EventEnvelope<Payload>.Place) -> FetchResponse {
    var response = FetchResponse(entities: [], hasMore: false, place: place)
    response.isNotModified = true
    return response
  }
}

/// What those get who waited for a fetch.
public enum FetchEnding: Hashable, Sendable {
  /// The answer, as ``CacheStore/rows(of:answeredBy:)`` has it.
  case answered
  /// What the cache has, though it has expired: see ``Freshness/staleIfError``.
  case servedExpired
  /// The source's error.
  case failed
  /// The store's own error, since what the server said is no answer to what was asked.
  case rejected(ResponseError)
  /// Nothing yet: the fetch goes on with another request, which is among the actions.
  case askedAgain
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

/// How a read of a query was answered.
///
/// The words are those of the reports; what the store cannot know, whether what it served equals
/// the server's state, the simulator adds.
public enum ReadOutcome: UInt8, Sendable, Hashable, CaseIterable {
  /// Complete and not known to be stale, or expired within the window of stale-while-revalidate:
  /// served without waiting.
  case hit
  /// The query is known, a member is not, or only a summary of it where the query shows more. Wins over
  /// ``missEvicted``. Of a single entity: only a summary is held.
  case partial
  /// Never asked before, as far as the cache remembers.
  case missCold
  /// The result had outlived its time to live.
  case missExpired
  /// The result was dropped: to make space, or because it had no observer.
  case missEvicted
  /// The result was marked stale.
  case missInvalidated
  /// Nothing to serve, and a fetch for it is in flight already: joined.
  case coalesced
  /// The query is one that is never cached.
  case bypass

  /// The word of reports and recordings.
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
  /// The fetch that will bring the result, or beside a hit that has expired a newer one; `nil` for
  /// any other hit.
  public var fetch: FetchID?
  /// Whether what is served has outlived its time to live: see ``Freshness/staleWhileRevalidate``.
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
  /// The value, also where it is not known to be fresh; `nil` where there is none, or only a summary.
  public var entity: VersionedEntity<Payload>?
  /// The fetch that will bring it, or beside a hit that has expired a newer one; `nil` for any other
  /// hit.
  public var fetch: FetchID?
  /// Whether a hit has outlived its time to live.
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
