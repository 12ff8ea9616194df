/// A complete cache policy: one choice on every axis.
///
/// ``Preset`` names the policies that a comparison starts from; a scenario may set any axis.
public struct CachePolicy: Hashable, Sendable {
  /// The name of the eviction order, as in the registry of `EvictionPolicies`.
  public var evictionOrder: String
  /// The name of the admission, as in the registry of `AdmissionPolicies`.
  ///
  /// It decides whether an entity that nothing retains enters a full cache; ``eventAdmission`` decides
  /// about the entities of events before that.
  public var admission: String
  public var capacity: Capacity
  /// What happens to retained entities if a limit is exceeded.
  public var limit: LimitKind
  public var retention: Retention
  /// What happens to queries that lost their last observer; `nil`: nothing retains them any longer.
  public var releaseBuffer: ReleaseBuffer?
  public var freshness: Freshness
  public var eventAdmission: EventAdmission
  public var membership: Membership
  /// How batches of an origin differ from other events; looked up by origin.
  public var batchRules: [EventOrigin: BatchRule]
  public var gapResponse: GapResponse
  /// How long a gap in the sequence may stay open before it is reconciled: events that were merely
  /// reordered on the way arrive within it.
  public var reorderWindow: Duration
  /// The shortest time between two notifications of one query.
  ///
  /// The first change notifies at once. Changes within the window after it notify once, at its end, when the
  /// next window begins. Zero: every commit notifies.
  public var coalescingWindow: Duration
  /// The time after its last answer when an observed query is fetched again; `nil`: never.
  ///
  /// More than zero. Expiry alone fetches nothing: set this for a client that polls.
  public var pollInterval: Duration?
  /// The most queries kept; the least recently used unobserved one goes first.
  ///
  /// A read is a use of a query, and so is each observer that comes or goes: a query that has just left the
  /// screen is dropped after queries that were read before. Observed queries are never dropped, so they may
  /// exceed it. `nil`: no limit.
  public var maximumQueries: Int?
  /// What is stored for the next process; `nil`: nothing, so it starts cold.
  public var storage: DiskStorage?
  /// Whether it receives the events that the server pushes; if not, it knows only what it has fetched.
  public var takesEvents = true

  public init(
    evictionOrder: String, admission: String = "always", capacity: Capacity,
    limit: LimitKind = .soft, retention: Retention,
    releaseBuffer: ReleaseBuffer? = nil, freshness: Freshness,
    eventAdmission: EventAdmission = .writeAllocate, membership: Membership = .patch,
    batchRules: [EventOrigin: BatchRule] = [:],
    gapResponse: GapResponse = .replay, reorderWindow: Duration = .milliseconds(200),
    coalescingWindow: Duration = .zero, pollInterval: Duration? = nil, maximumQueries: Int?,
    storage: DiskStorage? = nil
  ) {
    self.evictionOrder = evictionOrder
    self.admission = admission
    self.capacity = capacity
    self.limit = limit
    self.retention = retention
    self.releaseBuffer = releaseBuffer
    self.freshness = freshness
    self.eventAdmission = eventAdmission
    self.membership = membership
    self.batchRules = batchRules
    self.gapResponse = gapResponse
    self.reorderWindow = reorderWindow
    self.coalescingWindow = coalescingWindow
    self.pollInterval = pollInterval
    self.maximumQueries = maximumQueries
    self.storage = storage
  }

  /// Its numbers, none of which may be negative, by their names in errors.
  package var counts: [(field: String, value: Int?)] {
    [
      ("capacity in entities", capacity.entities), ("capacity in bytes", capacity.bytes),
      ("capacity in memory", capacity.memory), ("maximum of queries", maximumQueries),
      ("release buffer's queries", releaseBuffer?.queries),
    ]
  }

  /// Its durations, none of which may be negative, by their names in errors; those of methods are separate.
  package var durations: [(field: String, value: Duration?)] {
    [
      ("reorder window", reorderWindow), ("coalescing window", coalescingWindow),
      ("release buffer's age", releaseBuffer?.age), ("time to live", freshness.timeToLive),
      ("stale-while-revalidate", freshness.staleWhileRevalidate),
      ("stale-if-error", freshness.staleIfError), ("poll interval", pollInterval),
    ]
  }

  /// Whether, once all events have arrived, everything that the cache calls fresh equals the truth.
  ///
  /// Blind membership gives this up: it never learns that an entity entered or left a query.
  public var promisesConvergence: Bool {
    membership != .blind
      && EventOrigin.allCases.allSatisfy { batchRules[$0]?.membership != .blind }
  }

  /// Whether entities of some event are kept on probation.
  public var holdsEventsOnProbation: Bool {
    eventAdmission == .probation
      || EventOrigin.allCases.contains { batchRules[$0]?.admission == .probation }
  }
}

/// What an event does with an entity that is not cached.
public enum EventAdmission: String, Hashable, Sendable, CaseIterable {
  /// It is kept like an entity that was fetched.
  case writeAllocate = "write-allocate"
  /// It is kept only if a cached query lists it after lists are patched; cached entities are updated.
  case updateOnly = "update-only"
  /// It is kept on probation, first in first out, until it is read or retained. While entities on probation
  /// take more than a tenth of the limits, only they are evicted.
  case probation
}

/// For how long a query's result is fresh after it was fetched.
///
/// An event on a member does not extend it. A complete result that nothing has made stale is answered by its
/// age, where `TTL` is the time to live and `window` one of the two below:
///
/// | age | served at once | when the fetch fails |
/// | --- | --- | --- |
/// | < TTL | yes, fresh | – |
/// | = TTL, with windows of zero | no | error |
/// | from TTL, < TTL + ``staleWhileRevalidate`` | yes, expired; fetched at the same time | – |
/// | from TTL, < TTL + ``staleIfError`` | no, beyond the other window | what there is, expired |
/// | = TTL + window, or more | no | error |
///
/// The age of a query's result counts from ``start``, that of a single entity from when it was
/// written. So every boundary belongs to what comes after it: a time to live of zero is never fresh, and a
/// window of zero serves nothing. A time to live that is infinite (`nil`) never expires, whatever the
/// windows; a window that reaches beyond the end of time never ends.
///
/// The windows concern age alone. A result that was *invalidated*, or lacks a row, is served in neither: it is
/// known to be outdated or incomplete, and RFC 9111 (section 4.4) requires that an invalidated response is
/// validated before it is used again. A query within a window is not dropped.
public struct Freshness: Hashable, Sendable {
  /// The time to live of methods that have none of their own; `nil`: never expires.
  public var timeToLive: Duration?
  /// Times to live of single methods, which take precedence over the scenario's own.
  public var perMethod: [QueryMethod: Duration]
  /// From when a result's age counts.
  public var start: Start
  /// Whether an expired unobserved query is dropped, or kept as stale data.
  public var dropsExpired: Bool
  /// For how long after its expiry a result is served at once while it is fetched again.
  ///
  /// Source: RFC 5861, section 3.
  public var staleWhileRevalidate: Duration
  /// For how long after its expiry a result is served when the fetch fails: the server is out of
  /// reach, or answers with an error.
  ///
  /// Source: RFC 5861, section 4.
  public var staleIfError: Duration

  public init(
    timeToLive: Duration?, perMethod: [QueryMethod: Duration] = [:], start: Start = .answer,
    dropsExpired: Bool = false, staleWhileRevalidate: Duration = .zero,
    staleIfError: Duration = .zero
  ) {
    self.timeToLive = timeToLive
    self.perMethod = perMethod
    self.start = start
    self.dropsExpired = dropsExpired
    self.staleWhileRevalidate = staleWhileRevalidate
    self.staleIfError = staleIfError
  }

  public static let neverExpires = Freshness(timeToLive: nil)

  /// From when the age of a query's result counts.
  public enum Start: String, Hashable, Sendable, CaseIterable {
    /// From its arrival; the server may have read it earlier.
    case answer
    /// From its request, so that the time to live limits how often the server is asked: a deduplication
    /// interval.
    ///
    /// A result whose request took longer than its time to live has expired when it arrives.
    case request
    /// From its arrival, and only while any query is observed: a result that was requested before the last
    /// observer of all queries left has expired, whatever its time to live.
    ///
    /// A deduplication interval that ends when nothing is on screen. A result that an observed query serves
    /// expired is fetched a millisecond later, if the query is still observed.
    case answerWhileObserved = "answer-while-observed"
  }

  /// The lifetime of a method in nanoseconds; `Int64.max` where it never expires.
  public func lifetimeNanoseconds(of method: QueryMethod) -> Int64 {
    (perMethod[method] ?? timeToLive)?.wholeNanoseconds ?? .max
  }
}

/// What happens to cached lists when an entity is created, moved, renamed or deleted.
public enum Membership: String, Hashable, Sendable, CaseIterable {
  /// The list is patched if predicate, order and limit determine how; otherwise it is marked stale.
  case patch
  /// The list is marked stale.
  case markStale = "mark-stale"
  /// Nothing: the list stays as it was fetched until it expires.
  case blind
}

/// What happens when events were missed.
public enum GapResponse: String, Hashable, Sendable, CaseIterable {
  /// The missed events are requested and applied in order.
  case replay
  /// An outline of the changes is requested, and everything that they touch is marked stale.
  case selectiveInvalidation = "selective-invalidation"
  /// Everything is marked stale.
  case fullInvalidation = "full-invalidation"
}
