public import CacheModel

/// Conditional fetches: asking whether a result has changed.
extension CacheStore {
  /// Returns where a query's list was read; `nil` if any row or value has changed since, or the server has
  /// begun a new epoch.
  @inlinable func placeOfUnchangedList(of query: Int32) -> StreamPlace? {
    let record = queries[query]
    guard record.hasResult, record.isAsRead, record.missing == 0, let place = record.place,
      streams[place.stream].cursor.epoch == place.position.epoch
    else { return nil }
    return place
  }

  /// Returns the query whose result is confirmed by "not modified"; `nil` if the cache has changed or lost it
  /// since the request.
  @inlinable func queryConfirmed(by id: FetchID, _ fetch: Fetch) -> Int32? {
    if planted(.changedListConfirmed), fetches.awaited(by: fetch.target) == id,
      case .query(let key) = fetch.target, let query = queries.index(of: key),
      queries[query].hasResult, queries[query].missing == 0
    {
      return query
    }
    guard fetches.awaited(by: fetch.target) == id, case .query(let key) = fetch.target,
      let query = queries.index(of: key), let place = fetch.condition,
      placeOfUnchangedList(of: query) == place
    else { return nil }
    return query
  }

  /// Sends a fetch again, without a condition.
  @inlinable mutating func askInFull(_ id: FetchID, _ fetch: Fetch) {
    send(id, for: fetch.target, library: fetch.library, condition: nil)
    guard fetches.awaited(by: fetch.target) == id, case .query(let key) = fetch.target,
      let query = queries.index(of: key)
    else { return }
    queries[query].unplacedInvalidationsAtFetch = queries[query].unplacedInvalidations
  }

  /// Applies "not modified" as if the server had answered with the cached rows.
  ///
  /// They count as newly fetched, verified, and read at the new position. O(rows).
  @inlinable mutating func confirm(
    _ query: Int32, _ fetch: Fetch, readAt place: StreamPlace?, verification: UInt32
  ) {
    let record = queries[query]
    queries[query].fetch = nil
    guard takesResponse(query, fetch, readAt: place) else { return }
    noteRead(query, before: record, fetch, readAt: place, verification: verification)
    for slot in record.members {
      noteVerification(of: slot, library: record.library, verification, isKnown: true)
      entities[slot].writtenAt = now.nanoseconds
      entities.changes.mark(slot)
    }
    touchMembers(of: query)
  }
}

/// Retries of observed queries whose fetch failed: after a second, then with doubled pauses, up to a minute.
///
/// Until then an invalidation of such a query requests no fetch. A read does, and so does any sign that the
/// server can be reached: a heartbeat, or ``setOnline(_:at:)``.
extension CacheStore {
  @inlinable mutating func backOff(query: Int32) {
    let failures = queries[query].failures
    queries[query].failures = min(failures + 1, 6)
    queries[query].isBackingOff = true
    refetches.retry(query, failedAt: now, after: failures)
  }

  /// Begins to refresh a query that was served expired; `nil`: later, once it is certain that an observer
  /// stays.
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
      // A query answered meanwhile may be incomplete again, and needs no pause.
      guard queries[query].isInUse, queries[query].isBackingOff else { continue }
      queries[query].isBackingOff = false
      if queries[query].isObserved,
        lacksSomething(query) || refetches.polls.isDue(query, at: now.nanoseconds)
      {
        refetches.want(query)
      }
    }
  }

  /// Requests a fetch of an observed query at the end of the commit, despite a pause.
  @inlinable mutating func endPause(of query: Int32) {
    queries[query].awaitsServer = false
    queries[query].isBackingOff = false
    refetches.want(query)
  }

  /// Returns whether a fetch would bring anything.
  @inlinable func lacksSomething(_ query: Int32) -> Bool {
    !queries[query].hasResult || queries[query].missing > 0 || isStale(query)
  }
}

/// Polling of observed queries, if the policy has an interval.
///
/// Expiry does not start a fetch: an expired query waits until it is read.
extension CacheStore {
  /// Notes an answer, whatever its result.
  @inlinable mutating func notePoll(of query: Int32) {
    guard refetches.polls.isOn else { return }
    refetches.polls.note(query, answeredAt: now.nanoseconds)
    if queries[query].isObserved { refetches.polls.schedule(query) }
  }

  /// Requests the observed queries that are due.
  ///
  /// One whose fetch failed is left to its back-off. Amortised O(log queries) for each answer.
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

  /// Returns whether a heartbeat, as a sign that the server can be reached, makes the store fetch an observed
  /// query: it has no result, is known to be outdated, or its last fetch failed.
  ///
  /// This excludes queries that have only expired, and those that lack rows or a list for want of space.
  @inlinable func isOwed(_ query: Int32) -> Bool {
    // The answer to another request would not fit either.
    if queries[query].isDeclined { return false }
    if !queries[query].hasResult || isMarkedStale(query) { return true }
    return queries[query].isBackingOff && lacksSomething(query)
      && !isServedExpired(query, within: composition.freshness.staleWhileRevalidate)
  }

  /// The earliest deadline except polls; O(streams).
  ///
  /// While a query is observed, a poll is always due in the future; use this to wait until the store is idle.
  @inlinable package var nextDeadlineBesidesPolls: Instant? { earliestDeadline(withPolls: false) }
}
