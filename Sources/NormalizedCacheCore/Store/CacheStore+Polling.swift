public import CacheModel

/// Observed queries that are asked for by a timer, where the composition says so.
///
/// Expiry is no such timer: what has merely expired waits until somebody reads it.
extension CacheStore {
  /// Notes an answer, whatever it was worth.
  @inlinable mutating func notePoll(of query: Int32) {
    guard refetches.polls.isOn else { return }
    refetches.polls.note(query, answeredAt: now.nanoseconds)
    if queries[query].isObserved { refetches.polls.schedule(query) }
  }

  /// Asks for the observed queries that are due.
  ///
  /// One whose fetch has come to nothing is left to its back-off. Amortised O(log queries) for each
  /// answer.
  @inlinable mutating func pollDueQueries() {
    while let query = refetches.polls.takeDue(at: now.nanoseconds) {
      guard queries[query].isInUse, queries[query].isObserved else { continue }
      guard refetches.polls.dueAt[Int(query)] <= now.nanoseconds else {
        refetches.polls.schedule(query)
        continue
      }
      queries[query].awaitsServer = false
      refetches.want(query)
    }
  }

  /// Whether a heartbeat, which shows that the server can be reached, has an observed query asked for:
  /// it has nothing to show, is known to be out of date, or its last fetch has come to nothing.
  ///
  /// Not what has merely expired, nor what lacks rows, or a list, for which there was no space.
  @inlinable func isOwed(_ query: Int32) -> Bool {
    // Asked again, the answer would find no space either.
    if queries[query].isDeclined { return false }
    if !queries[query].hasResult || isMarkedStale(query) { return true }
    return queries[query].isBackingOff && lacksSomething(query)
      && !isServedExpired(query, within: composition.freshness.staleWhileRevalidate)
  }

  /// The earliest deadline of another kind; O(streams).
  ///
  /// A poll is always to come while a query is observed: who waits for the store to rest waits for
  /// these.
  @inlinable package var nextDeadlineBesidesPolls: Instant? {
    earliestDeadline(withPolls: false)
  }
}
