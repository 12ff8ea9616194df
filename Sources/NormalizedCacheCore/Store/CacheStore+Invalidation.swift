public import CacheModel
public import EvictionPolicies

/// Changes of unnamed data.
extension CacheStore {
  /// Marks stale what a tag matches: queries that may list matching entities, and the entities themselves.
  ///
  /// Data is kept; observed queries are fetched again. O(queries).
  @inlinable public mutating func invalidate(_ tag: InvalidationTag, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    markStale(matching: tag, since: nil)
  }

  /// Marks one query stale and keeps its data; it is fetched again if it is observed.
  @inlinable public mutating func invalidate(_ key: QueryKey, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    if let query = queries.index(of: key) {
      markStale(query, since: nil)
    } else {
      // No later read may join an earlier fetch.
      fetches.disown(.query(key))
    }
  }

  @inlinable mutating func markStale(matching tag: InvalidationTag, since place: StreamPlace?) {
    let library = libraries.index(of: tag.library)
    for query in queries.indices where matches(queries[query], tag, library: library) {
      markStale(query, since: place)
      // Nothing else tells a later read that the fetch in flight began before.
      if tag.method != nil, queries[query].fetch != nil {
        queries[query].unplacedInvalidations &+= 1
      }
    }
    // A method is a property of queries, not of entities.
    let concernsEntities = tag.method == nil
    disownFetches(library: library, ofEntities: concernsEntities)
    if concernsEntities { noteUnverified(tag, library: library, at: place) }
  }

  /// Prevents later reads from joining earlier fetches, if no query records what happened since.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - ofEntities: whether this includes fetches of single entities.
  @inlinable mutating func disownFetches(library: Int16, ofEntities: Bool) {
    let ofEntities = ofEntities && !planted(.outdatedEntityFetchJoined)
    fetches.disown(library: library) { target in
      switch target {
      case .query(let key): queries.index(of: key) != nil
      case .entity: !ofEntities
      }
    }
  }

  /// A tag's location excludes only queries that are confined to another one.
  @inlinable func matches(
    _ record: QueryRecord<Schema.Predicate>, _ tag: InvalidationTag, library: Int16
  ) -> Bool {
    guard record.library == library else { return false }
    if let type = tag.resourceType, !record.plan.resourceTypes.contains(type) { return false }
    if let method = tag.method, record.key.method != method { return false }
    if let location = tag.location, let own = record.plan.location { return own == location }
    return true
  }

  @inlinable mutating func noteUnverified(
    _ tag: InvalidationTag, library: Int16, at place: StreamPlace?
  ) {
    if planted(.entityInvalidationForgotten) { return }
    libraries.noteUnverified(tag, library: library, at: place)
  }

  /// Counts a resync, and marks everything of a library stale.
  @inlinable mutating func resynchronize(library: Int16, at place: StreamPlace?) {
    statistics.resyncs += 1
    invalidate(library: library, at: place)
  }

  /// Marks everything of a library stale, in O(observed queries), or O(queries) if cached queries retain
  /// their rows.
  @inlinable mutating func invalidate(library: Int16, at place: StreamPlace?) {
    libraries.invalidate(library, at: place)
    disownFetches(library: library, ofEntities: true)
    for query in queries.observed where queries[query].library == library {
      refetches.want(query)
    }
    // Stale unobserved queries retain nothing.
    guard composition.retention == .cached || composition.retention == .referenceCount else {
      return
    }
    for query in queries.indices where queries[query].library == library {
      updateRetention(of: query)
    }
  }

  /// Applies a bulk notice: marks matching data stale, once per token; once more if it was first sent without
  /// a position.
  @inlinable mutating func noteBulk(_ tag: InvalidationTag, token: UInt64, at place: StreamPlace?) {
    let library = libraries.index(of: tag.library)
    if planted(.bulkNoticeIgnored) { return }
    if libraries.noteBulk(token: token, library: library, isPlaced: place != nil) {
      markStale(matching: tag, since: place)
    }
  }

  @inlinable func isStaleEntity(_ slot: Slot, payload: Payload) -> Bool {
    let library = entities[slot].library
    let verification = entities[slot].verification
    if verification == libraries.verification(of: library) { return false }
    // The library is unknown: a notice for any library may concern the entity.
    guard library >= 0, !libraries[library].isBelowFloor(verification) else { return true }
    return libraries[library].hasNotice(
      of: entities.key(of: slot).type, in: schema.location(of: payload), since: verification)
  }
}

/// Removal at the app's request, whatever the policy.
extension CacheStore {
  /// Removes a library's entities, queries and fetches, from memory and storage.
  ///
  /// Observed queries are empty immediately and fetched again. Entities with pending edits, queued mutations,
  /// stream positions and tombstones remain. The answer of a fetch in flight reaches its callers, and is not
  /// kept.
  ///
  /// - Complexity: O(slots + queries).
  /// - Parameters:
  ///   - library: the library.
  ///   - now: the time.
  @inlinable public mutating func clear(_ library: LibraryID, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let index = libraries.knownIndex(of: library) else { return }
    fetches.forget(library: index)
    fetches.settle()
    for query in queries.indices where queries[query].key.library == library { clear(query) }
    for slot in 0..<Int32(entities.slotCount)
    where entities.isInUse(slot) && entities[slot].library == index {
      if entities.isResident(slot), entities[slot].references == 0 {
        removeResident(slot, cause: .invalidated)
      }
      entities.freeIfUnused(slot)
    }
  }

  /// Removes a query; an observed one begins again.
  @inlinable mutating func clear(_ query: Int32) {
    let (key, observers) = (queries[query].key, queries[query].observers)
    let number = queries[query].observedAs
    for _ in 0..<observers { _ = queries.removeObserver(query) }
    _ = notifications.leaveWindow(query, &queries[query])
    queries[query].fetch = nil
    dropQuery(query, cause: .missInvalidated)
    guard observers > 0 else { return }
    let again = insertObserved(key)
    for _ in 0..<observers { _ = queries.addObserver(again) }
    queries[again].observedAs = number
    refetches.polls.schedule(again)
    refetches.want(again)
    touchRows(of: again)
  }

  /// Evicts until entities and bytes are at most a share of their current use.
  ///
  /// First the victims of the eviction order go, then the unobserved untagged queries, least recently used
  /// first, with the entities that only they retain. Observed, tagged and pending entities remain, so more
  /// may be left.
  ///
  /// - Complexity: O(removed entities and listings).
  /// - Parameters:
  ///   - share: from 0 to 1.
  ///   - now: the time.
  /// - Precondition: `0 <= share <= 1`.
  @inlinable public mutating func releaseMemory(toFraction share: Double, at now: Instant) {
    precondition(0 <= share && share <= 1, "a share of \(share) is not between 0 and 1")
    beginCommit(at: now)
    defer { endCommit() }
    let most = Int((Double(entities.residentCount) * share).rounded(.down))
    let heaviest = Int((Double(entities.residentWeight) * share).rounded(.down))
    var isSetAside = false
    while entities.residentCount > most || entities.residentWeight > heaviest {
      if let victim = nextVictim(but: nil, isSetAside: &isSetAside) {
        evict(victim)
      } else if let query = leastRecentlyUsedWithoutTag {
        evictQuery(query)
      } else {
        return
      }
    }
  }

  /// The least recently used of the unobserved, untagged queries; O(tagged queries).
  @inlinable var leastRecentlyUsedWithoutTag: Int32? {
    var query = queries.leastRecentlyUsed
    while let candidate = query, queries[candidate].isTagged {
      query = queries.unobserved.younger(than: candidate)
    }
    return query
  }
}
