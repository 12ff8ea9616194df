public import CacheModel

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
