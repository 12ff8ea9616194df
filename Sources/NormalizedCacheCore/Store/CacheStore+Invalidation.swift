public import CacheModel
public import EvictionPolicies

/// What may have changed without being named.
extension CacheStore {
  /// Marks stale what a tag matches: queries that may list what it names, and the entities
  /// themselves.
  ///
  /// Data stays; observed queries are fetched again. O(queries).
  @inlinable public mutating func invalidate(_ tag: InvalidationTag, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    markStale(matching: tag, since: nil)
  }

  /// Marks one query stale; its data stays, and it is fetched again if it is observed.
  @inlinable public mutating func invalidate(_ key: QueryKey, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    if let query = queries.index(of: key) {
      markStale(query, since: nil)
    } else {
      // No later read may join a fetch that began before.
      fetches.disown(.query(key))
    }
  }

  @inlinable mutating func markStale(matching tag: InvalidationTag, since place: StreamPlace?) {
    let library = libraries.index(of: tag.library)
    for query in queries.indices where matches(queries[query], tag, library: library) {
      markStale(query, since: place)
    }
    // A method is a property of queries; it says nothing of entities.
    let concernsEntities = tag.method == nil
    disownFetches(library: library, ofEntities: concernsEntities && place == nil)
    if concernsEntities { noteUnverified(tag, library: library, at: place) }
  }

  /// Lets no later read join a fetch that began before, where no query keeps what happened since.
  ///
  /// - Parameters:
  ///   - library: whose.
  ///   - ofEntities: whether fetches of single entities are meant, too: where there is a place, their
  ///     answers are compared with it.
  @inlinable mutating func disownFetches(library: Int16, ofEntities: Bool) {
    let ofEntities = ofEntities && !planted(.outdatedEntityFetchJoined)
    fetches.disown(library: library) { target in
      switch target {
      case .query(let key): queries.index(of: key) != nil
      case .entity: !ofEntities
      }
    }
  }

  /// A tag's location spares only queries that are confined to another one.
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

  /// Marks everything of a library stale, in O(observed queries), or O(queries) where cached queries
  /// retain.
  @inlinable mutating func invalidate(library: Int16, at place: StreamPlace?) {
    libraries.invalidate(library, at: place)
    for query in queries.observed where queries[query].library == library {
      refetches.want(query)
    }
    // What is stale and unobserved holds nothing back.
    guard composition.retention == .cached || composition.retention == .referenceCount else {
      return
    }
    for query in queries.indices where queries[query].library == library {
      updateRetention(of: query)
    }
  }

  /// A bulk operation was announced: marks what it may touch, once per token; once more where it was
  /// first sent without a position.
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
    // Of an unknown library: whatever happened to any may have happened to it.
    guard library >= 0, !libraries[library].isBelowFloor(verification) else { return true }
    return libraries[library].hasNotice(
      of: entities.key(of: slot).type, in: schema.location(of: payload), since: verification)
  }
}

/// Letting go of what the app does not want to keep, whatever the composition says.
extension CacheStore {
  /// Forgets what a library holds: its entities, its queries and their fetches, here and in the storage.
  ///
  /// Observed queries are empty at once and fetched again. What has pending edits stays, and so do the
  /// queue of mutations, the place in each stream, and which entities were deleted. The answer of a fetch
  /// that is under way reaches those who wait for it, and is not kept. O(slots + queries).
  ///
  /// - Parameters:
  ///   - library: whose data.
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

  /// Forgets a query; one that is observed begins again.
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

  /// Evicts until no more is resident than a share of what is resident now, in entities and in bytes.
  ///
  /// First what the eviction order names, then, with what they alone hold back, the unobserved
  /// queries that no tag claims, the least recently used first. What is observed, tagged or pending stays,
  /// so more may be left. O(entities and listings that go).
  ///
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

  /// The unobserved query that was used longest ago, of those that no tag claims; O(tagged queries).
  @inlinable var leastRecentlyUsedWithoutTag: Int32? {
    var query = queries.leastRecentlyUsed
    while let candidate = query, queries[candidate].isTagged {
      query = queries.unobserved.younger(than: candidate)
    }
    return query
  }
}
