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
    distrust(library: library, at: place)
  }

  /// Marks everything of a library stale, in O(observed queries), or O(queries) where cached queries
  /// retain.
  @inlinable mutating func distrust(library: Int16, at place: StreamPlace?) {
    libraries.distrust(library, at: place)
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
  /// first told without a place.
  @inlinable mutating func noteBulk(
    _ tag: InvalidationTag, token: UInt64, at place: StreamPlace?
  ) {
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
