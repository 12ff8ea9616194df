public import CacheModel
import DequeModule
import EvictionPolicies
import HeapModule

/// A fetch in flight.
struct Fetch {
  var target: FetchTarget
  var library: Int16
  /// The commit in which the fetch began.
  var begun: UInt64
  /// The library's last verification when the fetch began.
  var verification: UInt32
}

extension CacheStore {
  @discardableResult
  mutating func beginFetch(of query: Int32) -> FetchID {
    let fetch = beginFetch(
      of: .query(queries[query].key), library: queries[query].library)
    queries[query].fetch = fetch
    queries[query].unplacedInvalidationsAtFetch = queries[query].unplacedInvalidations
    return fetch
  }

  mutating func beginFetch(of target: FetchTarget, library: Int16? = nil) -> FetchID {
    let fetch = FetchID(number: nextNumber())
    var index = library ?? -1
    if case .query(let key) = target, library == nil { index = libraryIndex(of: key.library) }
    fetches[fetch] = Fetch(
      target: target, library: index, begun: commit,
      verification: libraries[Int(index)].verification)
    fetchOfTarget[target] = fetch
    recentChanges.isRecording = true
    actions.append(.fetch(fetch, target))
    return fetch
  }

  private mutating func endFetch(_ id: FetchID) -> Fetch? {
    guard let fetch = fetches.removeValue(forKey: id) else { return nil }
    fetchOfTarget[fetch.target] = nil
    return fetch
  }

  /// The fetch came to nothing; the query keeps what it has. An unknown fetch is ignored.
  public mutating func failFetch(_ id: FetchID, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let fetch = endFetch(id) else { return }
    if fetches.isEmpty { recentChanges.stop() }
    guard case .query(let key) = fetch.target, let query = queries.index(of: key) else { return }
    queries[query].fetch = nil
    if !queries[query].hasResult, !queries[query].isObserved {
      dropQuery(query, cause: queries[query].missCause)
    }
  }

  /// The server answered. Values that the cache knows to be older than its own are not taken, and
  /// what changed after the response was read is applied again on top of it. O(rows). An unknown
  /// fetch is ignored.
  public mutating func completeFetch(
    _ id: FetchID, with response: FetchResponse<Payload>, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let fetch = endFetch(id) else { return }
    if let place = response.place { followFrom(place) }
    let isCovered = covers(response.place, fetch: fetch)
    let verification =
      isCovered
      ? libraries[Int(fetch.library)].verification : fetch.verification

    switch fetch.target {
    case .entity(let key):
      completeEntityFetch(key, response: response, library: fetch.library, verification)
    case .query(let key):
      let plan = schema.plan(for: key)
      let existing = queries.index(of: key)
      if existing == nil, !plan.isCacheable || composition.maximumQueries == 0 {
        for entity in response.entities {
          write(entity, library: fetch.library, verification: verification)
        }
      } else {
        let query = existing ?? insertQuery(key, plan: plan)
        install(response, in: query, verification: verification)
        reapplyChanges(since: fetch, after: response.place, to: query)
        if queries[query].isInUse { dropIfUnwanted(query) }
      }
    }
    if fetches.isEmpty { recentChanges.stop() }
  }

  private mutating func completeEntityFetch(
    _ key: EntityKey, response: FetchResponse<Payload>, library: Int16, _ verification: UInt32
  ) {
    if let entity = response.entities.first {
      write(entity, library: library, verification: verification)
    } else if let slot = entities.slot(of: key), entities.isResident(slot) {
      // The server does not have it: what the cache has is not the truth.
      removeResident(slot, cause: .invalidated)
      markHoldersStale(of: slot, since: response.place?.position)
      entities.freeIfUnused(slot)
    }
  }

  private mutating func install(
    _ response: FetchResponse<Payload>, in query: Int32, verification: UInt32
  ) {
    let record = queries[query]
    if record.hasResult, let mine = record.position, let its = response.place?.position, its < mine
    {
      // An older response never replaces a newer list.
      queries[query].fetch = nil
      return
    }
    let members = response.entities.map { entities.obtainSlot(of: $0.key) }
    order.reserve(slots: entities.slotCount)
    queries[query].hasResult = true
    let isUnchanged = record.hasResult && members == record.members
    if !isUnchanged {
      replaceMembers(of: query, with: members)
      touchRows(of: query)
    }
    queries[query].hasMore = response.hasMore
    queries[query].position = response.place?.position
    queries[query].verification = verification
    queries[query].fetchedAt = now.nanoseconds
    queries[query].fetch = nil
    if record.lifetime != .max {
      let (at, overflow) = now.nanoseconds.addingReportingOverflow(record.lifetime)
      if !overflow { expiries.insert(Expiry(at: at, query: query)) }
    }
    if isShown(record, by: response.place) {
      queries[query].isMarkedStale = false
      queries[query].staleSince = nil
    } else {
      wantingFetch.append(query)
    }
    updateRetention(of: query)
    for entity in response.entities {
      write(entity, library: record.library, verification: verification, listedBy: query)
    }
    statistics.entityAccesses += response.entities.count
  }

  /// Whether a response shows what made the query stale.
  private func isShown(
    _ record: QueryRecord<Schema.Predicate>, by place: EventEnvelope<Payload>.Place?
  ) -> Bool {
    guard record.isMarkedStale else { return true }
    guard record.unplacedInvalidations == record.unplacedInvalidationsAtFetch else { return false }
    guard let since = record.staleSince, let position = place?.position else { return true }
    return position >= since
  }

  /// Whether a response was read no earlier than the library's last verification began.
  private func covers(_ place: EventEnvelope<Payload>.Place?, fetch: Fetch) -> Bool {
    let library = libraries[Int(fetch.library)]
    guard fetch.verification < library.verification else { return true }
    guard let verified = library.verifiedAt, let position = place?.position else { return false }
    return position >= verified
  }

  /// Applies again, in order, what the cache learnt after the fetch began and the response was read.
  private mutating func reapplyChanges(
    since fetch: Fetch, after place: EventEnvelope<Payload>.Place?, to query: Int32
  ) {
    guard let changes = recentChanges.since(commit: fetch.begun, after: place?.position) else {
      markStale(query, since: nil)
      return
    }
    for change in changes { apply(change) }
  }
}
