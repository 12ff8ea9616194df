public import CacheModel

/// Asking whether a result is still the answer, instead of asking for it.
extension CacheStore {
  /// Where a query's list was read; `nil` where it is no longer what was read there, in any row or
  /// value, or where the server has begun a new epoch since.
  @inlinable func placeOfUnchangedList(of query: Int32) -> StreamPlace? {
    let record = queries[query]
    guard record.hasResult, record.isAsRead, record.missing == 0, let place = record.place,
      streams[place.stream].cursor.epoch == place.position.epoch
    else { return nil }
    return place
  }

  /// The query whose result an answer of "not modified" confirms; `nil` where the cache has changed
  /// or lost it since it asked.
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

  /// Sends a fetch out once more, for the whole answer.
  @inlinable mutating func askInFull(_ id: FetchID, _ fetch: Fetch) {
    send(id, for: fetch.target, library: fetch.library, condition: nil)
    guard fetches.awaited(by: fetch.target) == id, case .query(let key) = fetch.target,
      let query = queries.index(of: key)
    else { return }
    queries[query].unplacedInvalidationsAtFetch = queries[query].unplacedInvalidations
  }

  /// Takes it that the server would have answered with the rows that the cache has.
  ///
  /// As if they had been installed again: young, verified, read at the new place. O(rows).
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
  @inlinable package var nextDeadlineBesidesPolls: Instant? { earliestDeadline(withPolls: false) }
}
