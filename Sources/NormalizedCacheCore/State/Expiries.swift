public import CacheModel

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
    expiredUse =
      max(freshness.staleWhileRevalidate, freshness.staleIfError).wholeNanoseconds
  }

  /// When the first result is of no more use, in nanoseconds; `Int64.max`: none ever is.
  @inlinable var first: Int64 { deadlines.first }

  /// When an entity's value expires, in nanoseconds; `Int64.max`: never.
  @inlinable func expiry(ofEntityWrittenAt writtenAt: Int64) -> Int64 {
    let (expiry, overflow) = writtenAt.addingReportingOverflow(entityLifetime)
    return overflow ? .max : expiry
  }

  /// Whether an entity's value has outlived its time to live, and by how much at least, in nanoseconds.
  @inlinable func hasExpired(
    writtenAt: Int64, at now: Instant, forAtLeast window: Int64
  ) -> Bool {
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
