public import CacheModel

/// When observed queries are fetched again: at the end of the commit, after a pause, by a timer.
///
/// None of it binds: who takes a query from here asks whether it is to be fetched still.
@usableFromInline struct Refetches {
  /// Those that became stale in this commit, or whose time has come.
  @usableFromInline var wanted: [Int32] = []
  /// Those whose fetch came to nothing.
  @usableFromInline var retries = QueryDeadlines()
  @usableFromInline var polls: QueryPolls

  @inlinable init(pollInterval: Duration?) {
    polls = QueryPolls(interval: pollInterval)
  }

  /// Has a query fetched at the end of the commit.
  @inlinable mutating func want(_ query: Int32) { wanted.append(query) }

  /// The commit has begun all fetches that were wanted.
  @inlinable mutating func forgetWanted() {
    if !wanted.isEmpty { wanted.removeAll(keepingCapacity: true) }
  }

  /// Has a query fetched after a pause.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - now: when its fetch came to nothing.
  ///   - failures: how many did before it in a row.
  @inlinable mutating func retry(_ query: Int32, failedAt now: Instant, after failures: Int) {
    retries.schedule(query, at: now.advanced(by: BackOff.pause(after: failures)).nanoseconds)
  }

  /// When the first pause, or the first pause or interval, ends; `nil`: none does.
  @inlinable func deadline(withPolls: Bool) -> Instant? {
    let first = withPolls ? min(retries.first, polls.first) : retries.first
    return first < .max ? Instant(nanoseconds: first) : nil
  }
}
