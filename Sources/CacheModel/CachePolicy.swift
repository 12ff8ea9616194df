/// A cache policy, whole: one choice on every axis.
///
/// ``Preset`` names the compositions that a comparison starts from; a scenario may set any axis.
public struct CachePolicy: Hashable, Sendable {
  /// The name of the eviction order, as in the registry of `EvictionPolicies`.
  public var evictionOrder: String
  /// The name of the admission that stands in front of the order, as in the registry of
  /// `AdmissionPolicies`.
  ///
  /// It decides about whatever arrives at a full cache and nothing retains; ``eventAdmission`` decides
  /// beforehand what becomes of events.
  public var admission: String
  public var capacity: Capacity
  /// What becomes of what is retained where a limit is exceeded.
  public var limit: LimitKind
  public var retention: Retention
  /// What happens to queries that lost their last observer; `nil`: nothing holds them any longer.
  public var releaseBuffer: ReleaseBuffer?
  public var freshness: Freshness
  public var eventAdmission: EventAdmission
  public var membership: Membership
  /// What batches of an origin do otherwise; looked up by origin.
  public var batchRules: [EventOrigin: BatchRule]
  public var gapResponse: GapResponse
  /// How long a gap in the sequence may stay open before it is reconciled: events that were merely
  /// reordered on the way arrive within it.
  public var reorderWindow: Duration
  /// The shortest time between two notifications of one query.
  ///
  /// The first change is told at once; what changes within the window after it is told once, at its
  /// end, with which the next window begins. Zero: every commit notifies.
  public var coalescingWindow: Duration
  /// So long after its last answer an observed query is fetched again, by a timer; `nil`: never.
  ///
  /// More than zero. Expiry alone fetches nothing: a client that polls says so here.
  public var pollInterval: Duration?
  /// The most queries kept; the least recently used unobserved one goes first.
  ///
  /// A read is a use of a query, and so is each observer that comes or goes: what was on screen a moment ago
  /// leaves after what was read before that.
  /// Observed queries are never dropped, so they may exceed it. `nil`: no limit.
  public var maximumQueries: Int?
  /// What outlives the process; `nil`: nothing, so the next one starts cold.
  public var storage: DiskStorage?
  /// Whether the server's events reach it, where it pushes any; if not, it knows what it has asked for.
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

  /// Its numbers, none of which may be negative, by what an error calls them.
  package var counts: [(field: String, value: Int?)] {
    [
      ("capacity in entities", capacity.entities), ("capacity in bytes", capacity.bytes),
      ("capacity in memory", capacity.memory), ("maximum of queries", maximumQueries),
      ("release buffer's queries", releaseBuffer?.queries),
    ]
  }

  /// Its durations, likewise; those of methods stand beside them.
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

  /// Whether some event holds what it brings on probation.
  public var holdsEventsOnProbation: Bool {
    eventAdmission == .probation
      || EventOrigin.allCases.contains { batchRules[$0]?.admission == .probation }
  }
}

/// What an event does that brings an entity which the cache does not hold.
public enum EventAdmission: String, Hashable, Sendable, CaseIterable {
  /// It is kept like one that was fetched.
  case writeAllocate = "write-allocate"
  /// It is kept only if a cached query lists it, once lists are patched; the event updates what is
  /// there.
  case updateOnly = "update-only"
  /// It is kept on probation, first in first out, until it is read or held: while those on probation
  /// take more than a tenth of the limits, space is made at their cost alone.
  case probation
}

/// For how long a query's result is fresh after it was fetched.
///
/// An event on a member does not extend it. Where `TTL` is the time to live and `window` one of the
/// two below, a complete result that nothing has made stale is answered by its age:
///
/// | age | served at once | when the fetch fails |
/// | --- | --- | --- |
/// | < TTL | yes, fresh | – |
/// | = TTL, with windows of zero | no | error |
/// | from TTL, < TTL + ``staleWhileRevalidate`` | yes, expired; fetched beside it | – |
/// | from TTL, < TTL + ``staleIfError`` | no, beyond the other window | what there is, expired |
/// | = TTL + window, or more | no | error |
///
/// The age of a query's result counts from ``start``, that of a single entity from when it was
/// written. So every boundary belongs to what comes after it: a time to live of zero is never fresh, and a
/// window of zero serves nothing. A time to live that is infinite (`nil`) never expires, whatever the
/// windows; a window that reaches beyond the end of time never ends.
///
/// The windows are about age alone. A result that was *invalidated*, or lacks a row, is served in
/// neither: it is known to differ from the truth, or not to be whole, and RFC 9111 (section 4.4) has
/// what is invalidated validated before it is used again. A query within a window is not let go.
public struct Freshness: Hashable, Sendable {
  /// The time to live of methods that have none of their own; `nil`: never expires.
  public var timeToLive: Duration?
  /// Times to live of single methods, which win over the scenario's own.
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
    /// From its arrival: it is as fresh as it can be known to be.
    case answer
    /// From the request for it, so that a time to live says how often the server is asked at most: a
    /// deduplication interval.
    ///
    /// A result that was longer on its way than its time to live has expired when it arrives.
    case request
    /// From its arrival, and only for as long as any query is observed: what was asked for before
    /// the last observer of all queries left has expired, whatever its time to live.
    ///
    /// A deduplication interval whose marks go with what is on screen. What an observed query serves
    /// expired is fetched a millisecond later, and only if it is observed still.
    case answerWhileObserved = "answer-while-observed"
  }

  /// The lifetime of a method in nanoseconds; `Int64.max` where it never expires.
  public func lifetimeNanoseconds(of method: QueryMethod) -> Int64 {
    (perMethod[method] ?? timeToLive)?.wholeNanoseconds ?? .max
  }
}

/// What happens to cached lists when an entity is created, moved, renamed or deleted.
public enum Membership: String, Hashable, Sendable, CaseIterable {
  /// The list is corrected where predicate, order and limit tell how; elsewhere it is marked stale.
  case patch
  /// The list is marked stale.
  case markStale = "mark-stale"
  /// Nothing: the list stays as it was fetched until it expires.
  case blind
}

/// What happens when events were missed.
public enum GapResponse: String, Hashable, Sendable, CaseIterable {
  /// The missed events are asked for and applied in order.
  case replay
  /// What changed is asked for in outline only, and what it touches is marked stale.
  case selectiveInvalidation = "selective-invalidation"
  /// Everything is marked stale.
  case fullInvalidation = "full-invalidation"
}
