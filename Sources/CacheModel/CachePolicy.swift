/// A complete cache policy: one choice on every axis.
///
/// A ``Preset`` is a named starting point; a scenario may set any axis.
public struct CachePolicy: Hashable, Sendable {
  /// The name of the eviction order, as in the registry of `EvictionPolicies`.
  public var evictionOrder: String
  /// The name of the admission, as in the registry of `AdmissionPolicies`.
  ///
  /// It decides whether an entity that nothing retains enters a full cache; ``eventAdmission`` decides first
  /// for entities of events.
  public var admission: String
  public var capacity: Capacity
  /// What happens to retained entities if a limit is exceeded.
  public var limit: LimitKind
  public var retention: Retention
  /// What happens to queries that lost their last observer; `nil`: they retain nothing.
  public var releaseBuffer: ReleaseBuffer?
  public var freshness: Freshness
  public var eventAdmission: EventAdmission
  public var membership: Membership
  /// How batches differ from other events, by origin.
  public var batchRules: [EventOrigin: BatchRule]
  public var gapResponse: GapResponse
  /// How long a gap in the sequence may stay open before it is reconciled; events that were only reordered
  /// arrive within it.
  public var reorderWindow: Duration
  /// The shortest time between two notifications of one query.
  ///
  /// The first change notifies immediately. Changes within the window after it notify once, at its end, when the
  /// next window begins. Zero: every commit notifies.
  public var coalescingWindow: Duration
  /// The interval after its last answer at which an observed query is fetched again; `nil`: never.
  ///
  /// Must be positive. Expiry alone fetches nothing: set this for a client that polls.
  public var pollInterval: Duration?
  /// The maximum number of queries; the least recently used unobserved one is removed first.
  ///
  /// A read counts as a use of a query, and so does each observer that comes or goes: a query that has just
  /// left the screen is removed after queries that were read earlier. Observed queries are never removed, so
  /// they may exceed the limit. `nil`: no limit.
  public var maximumQueries: Int?
  /// What is stored for the next process; `nil`: nothing, so it starts cold.
  public var storage: DiskStorage?
  /// Whether it receives the events that the server pushes; if not, it has only what it fetched.
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

  /// The counts by their names in errors; none may be negative.
  package var counts: [(field: String, value: Int?)] {
    [
      ("capacity in entities", capacity.entities), ("capacity in bytes", capacity.bytes),
      ("capacity in memory", capacity.memory), ("maximum of queries", maximumQueries),
      ("release buffer's queries", releaseBuffer?.queries),
    ]
  }

  /// The durations by their names in errors; none may be negative.
  ///
  /// Those of methods are separate.
  package var durations: [(field: String, value: Duration?)] {
    [
      ("reorder window", reorderWindow), ("coalescing window", coalescingWindow),
      ("release buffer's age", releaseBuffer?.age), ("time to live", freshness.timeToLive),
      ("stale-while-revalidate", freshness.staleWhileRevalidate),
      ("stale-if-error", freshness.staleIfError), ("poll interval", pollInterval),
    ]
  }

  /// Whether everything fresh in the cache equals the server's state, once all events have arrived.
  ///
  /// Blind membership gives this up: the cache never learns that an entity entered or left a query.
  public var promisesConvergence: Bool {
    membership != .blind
      && EventOrigin.allCases.allSatisfy { batchRules[$0]?.membership != .blind }
  }

  /// Whether entities of any event are kept on probation.
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

/// How long a query's result is fresh after it was fetched.
///
/// An event about a member does not extend it. A complete result that is not stale is answered by its age,
/// where `TTL` is the time to live and `window` one of the two below:
///
/// | age | served immediately | when the fetch fails |
/// | --- | --- | --- |
/// | < TTL | yes, fresh | – |
/// | = TTL, with windows of zero | no | error |
/// | from TTL, < TTL + ``staleWhileRevalidate`` | yes, expired; fetched at the same time | – |
/// | from TTL, < TTL + ``staleIfError`` | no, beyond the other window | the expired result |
/// | = TTL + window, or more | no | error |
///
/// The age of a query's result counts from ``start``, that of a single entity from its last write. Every
/// boundary belongs to the later interval: a time to live of zero is never fresh, and a window of zero serves
/// nothing. An infinite time to live (`nil`) never expires, whatever the windows; a window that reaches
/// beyond the end of time never ends.
///
/// The windows concern age alone. A result that was *invalidated*, or lacks a row, is served in neither: it
/// is known to be outdated or incomplete, and RFC 9111 (section 4.4) requires that an invalidated response is
/// validated before it is used again. A query within a window is not removed.
public struct Freshness: Hashable, Sendable {
  /// The time to live of methods that have none of their own; `nil`: never expires.
  public var timeToLive: Duration?
  /// Times to live of single methods, which take precedence over the scenario's own.
  public var perMethod: [QueryMethod: Duration]
  /// The moment from which a result's age counts.
  public var start: Start
  /// Whether an expired unobserved query is removed, instead of being kept as stale data.
  public var dropsExpired: Bool
  /// How long after its expiry a result is served immediately while it is fetched again.
  ///
  /// Source: RFC 5861, section 3.
  public var staleWhileRevalidate: Duration
  /// How long after its expiry a result is served if the fetch fails: the server is unreachable, or answers
  /// with an error.
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

  /// The moment from which the age of a query's result counts.
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

  /// Returns the lifetime of a method in nanoseconds; `Int64.max`: it never expires.
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
