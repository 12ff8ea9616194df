public import CacheModel

/// Observed queries whose fetch came to nothing are fetched again: after a second, then each time
/// after twice as long, up to a minute.
///
/// Until then what makes such a query stale asks for no fetch. A read does, and whatever shows that the
/// server can be reached: a heartbeat, and the app that says so (``setOnline(_:at:)``).
extension CacheStore {
  @inlinable mutating func backOff(query: Int32) {
    let failures = queries[query].failures
    queries[query].failures = min(failures + 1, 6)
    queries[query].isBackingOff = true
    refetches.retry(query, failedAt: now, after: failures)
  }

  /// Fetches what was served expired; `nil`: later, once it is sure that somebody stays to see it.
  @inlinable mutating func beginFetchBeside(_ query: Int32) -> FetchID? {
    guard composition.freshness.start == .answerWhileObserved, queries[query].isObserved else {
      return beginFetch(of: query)
    }
    queries[query].isBackingOff = true
    refetches.retries.schedule(query, at: now.advanced(by: .milliseconds(1)).nanoseconds)
    return nil
  }

  @inlinable mutating func retryOverdueFetches() {
    while let query = refetches.retries.takeDue(at: now.nanoseconds) {
      // One that was answered meanwhile may lack something again, and waits for nothing.
      guard queries[query].isInUse, queries[query].isBackingOff else { continue }
      queries[query].isBackingOff = false
      if queries[query].isObserved, lacksSomething(query) {
        refetches.want(query)
      }
    }
  }

  /// Has an observed query fetched at the end of the commit, though it waits for something.
  @inlinable mutating func endPause(of query: Int32) {
    queries[query].awaitsServer = false
    queries[query].isBackingOff = false
    refetches.want(query)
  }

  /// Whether there is something that a fetch would bring.
  @inlinable func lacksSomething(_ query: Int32) -> Bool {
    !queries[query].hasResult || queries[query].missing > 0 || isStale(query)
  }
}
