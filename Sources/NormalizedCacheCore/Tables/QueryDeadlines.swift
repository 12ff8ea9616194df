public import CacheModel
public import HeapModule

/// When to look at queries again: one instant for each at most, the earliest first, ties by index.
///
/// A later instant for a query that waits already is not taken, since who looks too early can ask
/// again; so a query whose instant is put off a thousand times has one entry. One that is brought forward
/// leaves an entry behind; when those are the greater part, they are swept out. O(log queries) to
/// add and to take, amortised.
@usableFromInline struct QueryDeadlines {
  @usableFromInline var heap = Heap<Deadline>()
  /// The instant for each query, in nanoseconds; `Int64.max`: none.
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

  /// How many instants are kept, those that have been replaced included.
  @inlinable var count: Int { heap.count }

  /// The earliest instant, or an earlier one at which nothing is due any longer; `Int64.max`: none.
  ///
  /// Kept beside the heap, so that a commit that comes before it pays one comparison.
  @usableFromInline var first = Int64.max

  @inlinable mutating func schedule(_ query: Int32, at instant: Int64) {
    while instants.count <= Int(query) { instants.append(.max) }
    guard instant < instants[Int(query)] else { return }
    instants[Int(query)] = instant
    heap.insert(Deadline(at: instant, query: query))
    if heap.count > limit { sweep() }
    first = min(first, instant)
  }

  /// The most entries: twice what can be needed, so that sweeping is paid for by what came before.
  @inlinable var limit: Int { 2 * instants.count + 16 }

  /// Throws out what has been replaced.
  ///
  /// O(queries).
  @inlinable mutating func sweep() {
    let instants = instants
    heap = Heap(
      instants.indices.filter { instants[$0] != .max }.map {
        Deadline(at: instants[$0], query: Int32($0))
      })
  }

  /// Takes the query whose instant is the earliest, if it has come.
  @inlinable mutating func takeDue(at now: Int64) -> Int32? {
    while first <= now, let due = heap.popMin() {
      first = heap.min?.at ?? .max
      // An earlier instant was taken since: this one has been replaced.
      guard instants[Int(due.query)] == due.at else { continue }
      instants[Int(due.query)] = .max
      return due.query
    }
    return nil
  }
}

/// How long what was read is of use, and when results are of no more use.
@usableFromInline struct Expiries {
  /// For how long a single entity is fresh after it was written, in nanoseconds.
  @usableFromInline let entityLifetime: Int64
  /// For how long what has expired may be served, one way or another, in nanoseconds.
  @usableFromInline let expiredUse: Int64
  /// Of queries.
  @usableFromInline var deadlines = QueryDeadlines()
  /// The commit in which the last observer of all queries last left.
  ///
  /// Noted only where freshness ends with that.
  @usableFromInline var unwatchedCommit: UInt64 = 0

  @inlinable init(_ freshness: Freshness) {
    entityLifetime = freshness.timeToLive?.wholeNanoseconds ?? .max
    expiredUse = max(freshness.staleWhileRevalidate, freshness.staleIfError).wholeNanoseconds
  }

  /// When the first result is of no more use, in nanoseconds; `Int64.max`: none ever is.
  @inlinable var first: Int64 { deadlines.first }

  /// When an entity's value expires, in nanoseconds; `Int64.max`: never.
  @inlinable func expiry(ofEntityWrittenAt writtenAt: Int64) -> Int64 {
    let (expiry, overflow) = writtenAt.addingReportingOverflow(entityLifetime)
    return overflow ? .max : expiry
  }

  /// Whether an entity's value has outlived its time to live, and by how much at least, in nanoseconds.
  @inlinable func hasExpired(writtenAt: Int64, at now: Instant, forAtLeast window: Int64) -> Bool {
    guard entityLifetime != .max else { return false }
    let age = now.nanoseconds - writtenAt
    return age >= entityLifetime && age - entityLifetime >= window
  }

  /// Notes when a query's result is of no more use.
  @inlinable mutating func schedule(_ query: Int32, fetchedAt: Int64, lifetime: Int64) {
    guard lifetime != .max else { return }
    let end = Instant(nanoseconds: fetchedAt)
      .advanced(byNanoseconds: lifetime).advanced(byNanoseconds: expiredUse)
    if end != .distantFuture { deadlines.schedule(query, at: end.nanoseconds) }
  }

  /// Takes a query whose result may be of no more use; it may have been fetched again since.
  @inlinable mutating func takeDue(at now: Instant) -> Int32? {
    deadlines.takeDue(at: now.nanoseconds)
  }
}

/// When observed queries are fetched again: at the end of the commit, after a pause, by a timer.
///
/// None of it binds: who takes a query from here asks whether it is to be fetched still.
@usableFromInline struct Refetches {
  /// Those that became stale in this commit, or whose time has come.
  @usableFromInline var wanted: [Int32] = []
  /// Those whose fetch came to nothing.
  @usableFromInline var retries = QueryDeadlines()
  @usableFromInline var polls: QueryPolls

  @inlinable init(pollInterval: Duration?) { polls = QueryPolls(interval: pollInterval) }

  /// Has a query fetched at the end of the commit.
  @inlinable mutating func want(_ query: Int32) { wanted.append(query) }

  /// The commit has begun all fetches that were wanted.
  @inlinable mutating func forgetWanted() {
    if !wanted.isEmpty { wanted.removeAll(keepingCapacity: true) }
  }

  /// Has a query fetched after a pause.
  @inlinable mutating func retry(_ query: Int32, failedAt now: Instant, after failures: Int) {
    retries.schedule(query, at: now.advanced(by: BackOff.pause(after: failures)).nanoseconds)
  }

  /// When the first pause, or the first pause or interval, ends; `nil`: none does.
  @inlinable func deadline(withPolls: Bool) -> Instant? {
    let first = withPolls ? min(retries.first, polls.first) : retries.first
    return first < .max ? Instant(nanoseconds: first) : nil
  }
}

/// When queries are asked for by a timer: so long after their last answer.
///
/// Nothing is kept where there is no interval.
@usableFromInline struct QueryPolls {
  /// In nanoseconds; `Int64.max`: none is polled.
  @usableFromInline let interval: Int64
  @usableFromInline var deadlines = QueryDeadlines()
  /// When each query is due, observed or not, in nanoseconds; `Int64.max`: it was never answered.
  @usableFromInline var dueAt: [Int64] = []

  @inlinable init(interval: Duration?) { self.interval = interval?.wholeNanoseconds ?? .max }

  @inlinable var isOn: Bool { interval < .max }

  /// The instant at which to look next, in nanoseconds; `Int64.max`: none.
  @inlinable var first: Int64 { deadlines.first }

  /// Notes that a query was answered, or that its place has another one, which was not.
  @inlinable mutating func note(_ query: Int32, answeredAt instant: Int64?) {
    guard isOn else { return }
    while dueAt.count <= Int(query) { dueAt.append(.max) }
    let (due, overflow) = (instant ?? .max).addingReportingOverflow(interval)
    dueAt[Int(query)] = overflow ? .max : due
  }

  /// Sees to it that an observed query is looked at when it is due.
  @inlinable mutating func schedule(_ query: Int32) {
    guard isOn, dueAt[Int(query)] < .max else { return }
    deadlines.schedule(query, at: dueAt[Int(query)])
  }

  /// Takes a query at which to look, if its instant has come; it may have been answered since.
  @inlinable mutating func takeDue(at now: Int64) -> Int32? { deadlines.takeDue(at: now) }
}

/// How long to wait before what failed is tried again.
@usableFromInline enum BackOff {
  /// A second, then twice as long after each further failure, up to a minute.
  @inlinable static func pause(after failures: Int) -> Duration {
    .seconds(min(1 << min(failures, 6), 60))
  }
}
