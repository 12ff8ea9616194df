public import CacheModel
public import HeapModule

/// Deadlines of queries: at most one for each, the earliest first, ties by index.
///
/// A later deadline for a query that already has one is ignored, since the caller checks again at the earlier
/// one; so a query whose deadline is postponed a thousand times has one entry. An earlier deadline leaves the
/// old entry behind; when most entries are obsolete, they are removed. O(log queries), amortised, to add and
/// to remove.
@usableFromInline struct QueryDeadlines {
  @usableFromInline var heap = Heap<Deadline>()
  /// The deadline of each query, in nanoseconds; `Int64.max`: none.
  @usableFromInline var instants: [Int64] = []

  @usableFromInline struct Deadline: Comparable {
    @usableFromInline var at: Int64
    @usableFromInline var query: Int32

    @inlinable static func < (lhs: Deadline, rhs: Deadline) -> Bool {
      lhs.at != rhs.at ? lhs.at < rhs.at : lhs.query < rhs.query
    }
    @inlinable init(at: Int64, query: Int32) {
      self.at = at
      self.query = query
    }
  }

  @inlinable init() {}

  /// The number of entries, obsolete ones included.
  @inlinable var count: Int { heap.count }

  /// The earliest deadline, or an earlier obsolete one; `Int64.max`: none.
  ///
  /// A copy outside the heap, so that an earlier commit needs one comparison.
  @usableFromInline var first = Int64.max

  @inlinable mutating func schedule(_ query: Int32, at instant: Int64) {
    while instants.count <= Int(query) { instants.append(.max) }
    guard instant < instants[Int(query)] else { return }
    instants[Int(query)] = instant
    heap.insert(Deadline(at: instant, query: query))
    if heap.count > limit { sweep() }
    first = min(first, instant)
  }

  /// The maximum number of entries: twice what is needed, which amortises their removal.
  @inlinable var limit: Int { 2 * instants.count + 16 }

  /// Removes obsolete entries.
  ///
  /// O(queries).
  @inlinable mutating func sweep() {
    let instants = instants
    heap = Heap(
      instants.indices.filter { instants[$0] != .max }.map {
        Deadline(at: instants[$0], query: Int32($0))
      })
  }

  /// Removes and returns the query with the earliest deadline, if it has passed.
  @inlinable mutating func takeDue(at now: Int64) -> Int32? {
    while first <= now, let due = heap.popMin() {
      first = heap.min?.at ?? .max
      // This entry is obsolete: the query has an earlier deadline.
      guard instants[Int(due.query)] == due.at else { continue }
      instants[Int(due.query)] = .max
      return due.query
    }
    return nil
  }
}

/// Lifetimes of results, and the deadlines after which they are useless.
@usableFromInline struct Expiries {
  /// The time to live of a single entity after its write, in nanoseconds.
  @usableFromInline let entityLifetime: Int64
  /// The time for which expired results may be served, for any reason, in nanoseconds.
  @usableFromInline let expiredUse: Int64
  @usableFromInline var deadlines = QueryDeadlines()
  /// The commit in which the last observer of any query last left.
  ///
  /// Recorded only if freshness ends with that.
  @usableFromInline var unwatchedCommit: UInt64 = 0

  @inlinable init(_ freshness: Freshness) {
    entityLifetime = freshness.timeToLive?.wholeNanoseconds ?? .max
    expiredUse = max(freshness.staleWhileRevalidate, freshness.staleIfError).wholeNanoseconds
  }

  /// The earliest deadline of a result, in nanoseconds; `Int64.max`: none.
  @inlinable var first: Int64 { deadlines.first }

  /// Returns the expiry of an entity's value, in nanoseconds; `Int64.max`: never.
  @inlinable func expiry(ofEntityWrittenAt writtenAt: Int64) -> Int64 {
    let (expiry, overflow) = writtenAt.addingReportingOverflow(entityLifetime)
    return overflow ? .max : expiry
  }

  /// Returns whether an entity's value has been older than its time to live for at least `window`
  /// nanoseconds.
  @inlinable func hasExpired(writtenAt: Int64, at now: Instant, forAtLeast window: Int64) -> Bool {
    guard entityLifetime != .max else { return false }
    let age = now.nanoseconds - writtenAt
    return age >= entityLifetime && age - entityLifetime >= window
  }

  @inlinable mutating func schedule(_ query: Int32, fetchedAt: Int64, lifetime: Int64) {
    guard lifetime != .max else { return }
    let end = Instant(nanoseconds: fetchedAt)
      .advanced(byNanoseconds: lifetime).advanced(byNanoseconds: expiredUse)
    if end != .distantFuture { deadlines.schedule(query, at: end.nanoseconds) }
  }

  /// Removes and returns a query whose result may be useless; it may have been fetched again since.
  @inlinable mutating func takeDue(at now: Instant) -> Int32? {
    deadlines.takeDue(at: now.nanoseconds)
  }
}

/// Fetches of observed queries: at the end of the commit, after a pause, or by polling.
///
/// Nothing here is binding: the caller checks whether the query still needs a fetch.
@usableFromInline struct Refetches {
  /// The queries that became stale in this commit, or whose time has come.
  @usableFromInline var wanted: [Int32] = []
  @usableFromInline var retries = QueryDeadlines()
  @usableFromInline var polls: QueryPolls

  @inlinable init(pollInterval: Duration?) { polls = QueryPolls(interval: pollInterval) }

  @inlinable mutating func want(_ query: Int32) { wanted.append(query) }

  /// Clears the requests after the commit has begun their fetches.
  @inlinable mutating func forgetWanted() {
    if !wanted.isEmpty { wanted.removeAll(keepingCapacity: true) }
  }

  /// Schedules a fetch of a query after a pause.
  @inlinable mutating func retry(_ query: Int32, failedAt now: Instant, after failures: Int) {
    retries.schedule(query, at: now.advanced(by: BackOff.pause(after: failures)).nanoseconds)
  }

  /// The earliest end of a pause, or of a pause or poll interval; `nil`: none.
  @inlinable func deadline(withPolls: Bool) -> Instant? {
    let first = withPolls ? min(retries.first, polls.first) : retries.first
    return first < .max ? Instant(nanoseconds: first) : nil
  }
}

/// Polling of queries at a fixed interval after their last answer.
///
/// Nothing is stored without an interval.
@usableFromInline struct QueryPolls {
  /// In nanoseconds; `Int64.max`: none is polled.
  @usableFromInline let interval: Int64
  @usableFromInline var deadlines = QueryDeadlines()
  /// The due time of each query, observed or not, in nanoseconds; `Int64.max`: it was never answered.
  @usableFromInline var dueAt: [Int64] = []

  @inlinable init(interval: Duration?) { self.interval = interval?.wholeNanoseconds ?? .max }

  @inlinable var isOn: Bool { interval < .max }

  /// The next time to check, in nanoseconds; `Int64.max`: none.
  @inlinable var first: Int64 { deadlines.first }

  /// Notes that a query was answered, or that its slot has a new one, which was not.
  @inlinable mutating func note(_ query: Int32, answeredAt instant: Int64?) {
    guard isOn else { return }
    while dueAt.count <= Int(query) { dueAt.append(.max) }
    let (due, overflow) = (instant ?? .max).addingReportingOverflow(interval)
    dueAt[Int(query)] = overflow ? .max : due
  }

  /// Schedules a check of an observed query when it is due.
  @inlinable mutating func schedule(_ query: Int32) {
    guard isOn, dueAt[Int(query)] < .max else { return }
    deadlines.schedule(query, at: dueAt[Int(query)])
  }

  /// Returns whether a query's last poll was not answered.
  @inlinable func isDue(_ query: Int32, at now: Int64) -> Bool {
    isOn && Int(query) < dueAt.count && dueAt[Int(query)] <= now
  }

  /// Removes and returns a query to check, if its time has come; it may have been answered since.
  @inlinable mutating func takeDue(at now: Int64) -> Int32? { deadlines.takeDue(at: now) }
}

/// The pause before a retry.
@usableFromInline enum BackOff {
  /// Returns a second, doubled after each further failure, up to a minute.
  @inlinable static func pause(after failures: Int) -> Duration {
    .seconds(min(1 << min(failures, 6), 60))
  }
}
