public import CacheModel
public import EvictionPolicies

extension CacheStore {
  /// Reads a query; begins a fetch unless the result can be served as it is, or one is in flight.
  ///
  /// A hit counts as a use of the query and its members.
  ///
  /// - Complexity: O(rows).
  /// - Parameters:
  ///   - key: the query.
  ///   - now: the time.
  ///   - isRepeated: whether the app itself reads again, for example to redraw a view: that does not count as
  ///     a use.
  /// - Returns: the outcome, and the fetch that will bring a result.
  @inlinable public mutating func read(
    _ key: QueryKey, at now: Instant, isRepeated: Bool = false
  ) -> QueryRead {
    beginCommit(at: now)
    defer { endCommit() }
    let read = readQuery(key, isRepeated: isRepeated)
    if !isRepeated { countRead(read.outcome) }
    return read
  }

  @inlinable mutating func countRead(_ outcome: ReadOutcome) {
    statistics.reads += 1
    if outcome == .hit { statistics.hits += 1 }
  }

  @inlinable mutating func readQuery(_ key: QueryKey, isRepeated: Bool) -> QueryRead {
    if let query = queries.index(of: key) {
      let read = readCached(query, isRepeated: isRepeated)
      if buffer.reads != .ignored, !isRepeated {
        noteUnobservedRead(of: query, awaits: read.fetch)
      }
      return read
    }
    if let fetch = fetches.awaited(by: .query(key)) {
      return QueryRead(outcome: .coalesced, fetch: fetch)
    }
    let plan = schema.plan(for: key)
    guard plan.isCacheable else {
      return QueryRead(outcome: .bypass, fetch: beginFetch(of: .query(key)))
    }
    let cause = queries.departed.cause(of: key)
    guard composition.maximumQueries != 0 else {
      return QueryRead(outcome: cause, fetch: beginFetch(of: .query(key)))
    }
    guard makeSpace(for: TableGrowth(query: key)) else {
      return QueryRead(outcome: cause, fetch: beginFetch(of: .query(key)))
    }
    let query = insertQuery(key, plan: plan)
    let fetch = beginFetch(of: query)
    if buffer.reads != .ignored { noteUnobservedRead(of: query, awaits: fetch) }
    return QueryRead(outcome: cause, fetch: fetch)
  }

  @inlinable mutating func readCached(_ query: Int32, isRepeated: Bool) -> QueryRead {
    if !isRepeated {
      queries.touch(query)
      noteInterest(in: query)
    }
    let outcome = outcome(ofReading: query)
    if outcome == .hit {
      if !isRepeated { touchMembers(of: query) }
      return QueryRead(outcome: .hit, fetch: nil)
    }
    if isServedExpired(query, within: composition.freshness.staleWhileRevalidate) {
      if !isRepeated { touchMembers(of: query) }
      let fetch = fetchToJoin(of: query) ?? beginFetchBeside(query)
      return QueryRead(outcome: .hit, fetch: fetch, isExpired: true)
    }
    if let fetch = fetchToJoin(of: query), !isFetchOutdated(of: query) {
      return QueryRead(outcome: .coalesced, fetch: fetch)
    }
    return QueryRead(outcome: outcome, fetch: beginFetch(of: query))
  }

  /// Returns the fetch in flight that a read of the query may join: not one requested before the last
  /// observer left, if results are fresh only while something is observed.
  ///
  /// Its answer is used nevertheless, unless the query has been requested again.
  @inlinable func fetchToJoin(of query: Int32) -> FetchID? {
    guard let id = queries[query].fetch, composition.freshness.start == .answerWhileObserved,
      let fetch = fetches[id], fetch.begun <= expiries.unwatchedCommit
    else { return queries[query].fetch }
    return nil
  }

  /// Returns whether the query, or unnamed data of its library, was invalidated after its fetch began.
  ///
  /// A read after an invalidation must not get an earlier answer, and with a stream position the answer may
  /// be earlier too: the server may lag.
  @inlinable func isFetchOutdated(of query: Int32) -> Bool {
    if planted(.outdatedFetchJoined) { return false }
    if queries[query].unplacedInvalidations != queries[query].unplacedInvalidationsAtFetch {
      return true
    }
    guard isMarkedStale(query), let fetch = queries[query].fetch.flatMap({ fetches[$0] }) else {
      return false
    }
    return fetch.verification < libraries.verification(of: fetch.library)
  }

  /// Returns the outcome of reading a cached query now.
  ///
  /// Expiry takes precedence over staleness, both over missing members.
  @inlinable func outcome(ofReading query: Int32) -> ReadOutcome {
    if !queries[query].hasResult { return queries[query].missCause }
    if planted(.expiryMissedAtItsBoundary), !isMarkedStale(query),
      queries[query].missing == 0,
      now.nanoseconds - queries[query].fetchedAt == queries[query].lifetime
    {
      return .hit
    }
    if queries[query].hasExpired(at: now) { return .missExpired }
    if isMarkedStale(query) { return .missInvalidated }
    if queries[query].missing > 0 { return .partial }
    // A cache without space for entities does not keep empty lists either.
    if queries[query].members.isEmpty, composition.capacity.entities == 0 { return .missEvicted }
    return .hit
  }

  @inlinable mutating func touchMembers(of query: Int32) {
    statistics.entityAccesses += queries[query].members.count
    if limits.tracksHeld { noteUsesInLine(ofMembersOf: query) }
    // Retained entities are in no order.
    guard !queries[query].retainsMembers else { return }
    for slot in queries[query].members where entities[slot].references == 0 {
      evictable.addUse(evictionEntry(of: slot), weight: entities[slot].weight)
    }
    evictable.endUses()
  }

  /// Reads one entity; begins a fetch unless it is resident, whole and not known to be stale.
  ///
  /// The visible state counts, so an entity with a pending creation or deletion is not fetched. O(1), and
  /// O(pending edits) if it has any.
  @inlinable public mutating func readEntity(
    _ key: EntityKey, library: LibraryID, at now: Instant
  ) -> EntityRead<Payload> {
    beginCommit(at: now)
    defer { endCommit() }
    statistics.entityAccesses += 1
    let key = serverKey(of: key)
    let read =
      optimistic.hasEdits(of: key)
      ? readEdited(key, library: library) : readConfirmed(key, library: library)
    countRead(read.outcome)
    return read
  }

  @inlinable mutating func readConfirmed(
    _ key: EntityKey, library: LibraryID
  ) -> EntityRead<Payload> {
    var outcome = ReadOutcome.missCold
    var served: VersionedEntity<Payload>?
    var isServedExpired = false
    if let slot = entities.slot(of: key), let payload = entities.payload(of: slot) {
      let isWhole = isWhole(slot)
      if isWhole {
        served = VersionedEntity(key: key, version: entities[slot].version, payload: payload)
      }
      if hasExpired(slot, at: now) {
        outcome = .missExpired
        isServedExpired =
          isWhole
          && self.isServedExpired(slot, payload, within: composition.freshness.staleWhileRevalidate)
      } else if isStaleEntity(slot, payload: payload) {
        outcome = .missInvalidated
      } else {
        outcome = isWhole ? .hit : .partial
      }
      if entities[slot].references == 0 {
        noteUse(of: slot)
      } else if limits.tracksHeld {
        noteUseInLine(of: slot)
      }
    }
    if outcome == .hit { return EntityRead(outcome: .hit, entity: served, fetch: nil) }
    let joined = fetches.awaited(by: .entity(key))
    let fetch = joined ?? beginFetch(of: .entity(key), library: libraries.index(of: library))
    if isServedExpired {
      return EntityRead(outcome: .hit, entity: served, fetch: fetch, isExpired: true)
    }
    return EntityRead(outcome: joined == nil ? outcome : .coalesced, entity: served, fetch: fetch)
  }

  // MARK: Looking without touching

  /// Returns whether the cache has the query's complete result, and it is not known to be stale.
  @inlinable public func isFresh(_ key: QueryKey, at now: Instant) -> Bool {
    guard let query = queries.index(of: key) else { return false }
    return queries[query].hasResult && !queries[query].hasExpired(at: now)
      && !isMarkedStale(query) && queries[query].missing == 0
      && !isSuspect(library: queries[query].library)
  }

  /// Returns whether the cache has the query's list, not known to be stale, with or without the values of its
  /// rows.
  ///
  /// For reference models and tests.
  @inlinable package func isListFresh(_ key: QueryKey, at now: Instant) -> Bool {
    guard let query = queries.index(of: key) else { return false }
    let record = queries[query]
    return record.hasResult && !record.hasExpired(at: now) && !isMarkedStale(query)
      && !isSuspect(library: record.library)
  }

  /// Returns the stream position at which a query's list was read; `nil` without a result, or if it is known
  /// to be outdated.
  ///
  /// For reference models and tests.
  @inlinable package func placeOfCurrentList(of key: QueryKey) -> EventPlace? {
    guard let query = queries.index(of: key), queries[query].hasResult, !isMarkedStale(query) else {
      return nil
    }
    return queries[query].place.map { streams.eventPlace(of: $0) }
  }

  /// Returns why a query is not cached; meaningless while it is.
  ///
  /// For reference models and tests.
  @inlinable package func causeOfDeparture(of key: QueryKey) -> ReadOutcome {
    queries.departed.cause(of: key)
  }

  /// Returns whether the cache has the whole entity, and it is not known to be stale.
  @inlinable public func isFresh(_ key: EntityKey, at now: Instant) -> Bool {
    guard let slot = entities.slot(of: key), let payload = wholePayload(of: slot) else {
      return false
    }
    return !hasExpired(slot, at: now) && !isStaleEntity(slot, payload: payload)
      && !isSuspect(library: entities[slot].library)
  }

  /// Returns whether the server has rows after the last one listed; `false` without a result.
  @inlinable public func hasMore(_ key: QueryKey) -> Bool {
    queries.index(of: key).map { queries[$0].hasResult && queries[$0].hasMore } ?? false
  }

  /// Returns the fetch in flight for a target; `nil` if there is none.
  @inlinable package func fetch(of target: FetchTarget) -> FetchID? { fetches.awaited(by: target) }

  /// Returns the slots of a query's members in order; `nil` without a result.
  ///
  /// O(1).
  @inlinable package func members(of key: QueryKey) -> [Slot]? {
    guard let query = queries.index(of: key), queries[query].hasResult else { return nil }
    return queries[query].members
  }

  /// Returns the value in a slot of ``members(of:)``; `nil` if there is none.
  ///
  /// O(1).
  @inlinable package func payload(of slot: Slot) -> Payload? { entities.payload(of: slot) }

  /// Returns the known version of the entity in a slot of ``members(of:)``, whether or not it has a value.
  ///
  /// O(1).
  @inlinable package func version(of slot: Slot) -> Version { entities[slot].version }

  /// Returns the key of a slot of ``members(of:)``, whether or not it has a value.
  ///
  /// O(1).
  @inlinable package func key(of slot: Slot) -> EntityKey { entities.key(of: slot) }

  /// Calls `body` with every resident entity in slot order; O(slots).
  ///
  /// For reference models and tests.
  @inlinable package func forEachResident(_ body: (EntityKey, Payload) -> Void) {
    entities.forEachSlot { slot in
      if let payload = entities.payload(of: slot) { body(entities.key(of: slot), payload) }
    }
  }

  /// The queries with a result, in index order; O(queries).
  ///
  /// For reference models and tests.
  @inlinable package var queriesWithResult: [QueryKey] {
    queries.indices.filter { queries[$0].hasResult }.map { queries[$0].key }
  }

  /// Returns whether the store has a tombstone of an entity.
  @inlinable package func isDeleted(_ key: EntityKey) -> Bool {
    entities.slot(of: key).map { entities[$0].isTombstone } ?? false
  }

  /// The tombstones, each with its version, in slot order; O(slots).
  ///
  /// For reference models and tests.
  @inlinable package var deletions: [(key: EntityKey, version: Version)] {
    var all: [(key: EntityKey, version: Version)] = []
    entities.forEachSlot { slot in
      if entities[slot].isTombstone {
        all.append((key: entities.key(of: slot), version: entities[slot].version))
      }
    }
    return all
  }

  /// Returns the number of retaining queries that list an entity; 0 for an unknown one.
  @inlinable package func referenceCount(of key: EntityKey) -> Int {
    entities.slot(of: key).map { Int(entities[$0].references) } ?? 0
  }
}
