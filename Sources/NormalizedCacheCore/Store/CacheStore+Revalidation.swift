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
