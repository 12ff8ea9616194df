public import CacheModel
public import EvictionPolicies

/// What a store knows of one library.
@usableFromInline struct LibraryState {
  @usableFromInline var id: LibraryID
  /// How many streams of it are followed.
  @usableFromInline var streamCount = 0
  /// Whether the store ever took something of it.
  @usableFromInline var holdsData = false
  /// Counts the times that something unnamed may have changed in the library.
  ///
  /// What is written bears the number of its time.
  @usableFromInline var verification: UInt32 = 0
  /// The place in the stream of the last of these times, where it has one.
  @usableFromInline var verifiedAt: StreamPlace?
  /// The number of the last of these times that has no place to compare with `verifiedAt`.
  @usableFromInline var unplacedVerification: UInt32 = 0
  /// Queries that were fetched before this number are stale.
  @usableFromInline var queryFloor: UInt32 = 0
  /// Entities that were written before this number are stale.
  @usableFromInline var entityFloor: UInt32 = 0
  /// Partial invalidations since, newest last, for the entities that they concern.
  @usableFromInline var notices: [(tag: InvalidationTag, number: UInt32)] = []
  /// Counts the items that could not be decoded and of which it is known which entity they are.
  @usableFromInline var doubts: UInt32 = 0
  /// The latest operations that were announced in bulk.
  @usableFromInline var bulkTokens: [(token: UInt64, isPlaced: Bool)] = []

  @inlinable init(id: LibraryID) {
    self.id = id
  }
}

extension CacheStore {
  @inlinable mutating func libraryIndex(of id: LibraryID) -> Int16 {
    for index in libraries.indices where libraries[index].id == id { return Int16(index) }
    if libraries.count < StoreLimits.libraries { libraries.append(LibraryState(id: id)) }
    return Int16(libraries.count - 1)
  }

  /// Whether an index stands, or may stand, for several libraries.
  @inlinable func isShared(library: Int16) -> Bool {
    Int(library) == StoreLimits.libraries - 1
  }

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
      fetchOfTarget[.query(key)] = nil
    }
  }

  @inlinable mutating func markStale(matching tag: InvalidationTag, since place: StreamPlace?) {
    let library = libraryIndex(of: tag.library)
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
    #if PLANTED_DEFECTS
      let ofEntities = ofEntities && plantedDefect != .outdatedEntityFetchJoined
    #endif
    guard !fetchOfTarget.isEmpty else { return }
    var kept: [FetchTarget: FetchID] = [:]
    for (target, fetch) in fetchOfTarget {
      let isKept =
        switch target {
        case .query(let key): queries.index(of: key) != nil
        case .entity: !ofEntities
        }
      if isKept || fetches[fetch]?.library != library { kept[target] = fetch }
    }
    if kept.count < fetchOfTarget.count { fetchOfTarget = kept }
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
    #if PLANTED_DEFECTS
      if plantedDefect == .entityInvalidationForgotten { return }
    #endif
    let number = nextVerification(of: library, at: place)
    libraries[Int(library)].notices.append((tag, number))
    if libraries[Int(library)].notices.count > StoreLimits.notices {
      let oldest = libraries[Int(library)].notices.removeFirst()
      libraries[Int(library)].entityFloor = oldest.number
    }
  }

  /// Counts a resync, and marks everything of a library stale.
  @inlinable mutating func resynchronize(library: Int16, at place: StreamPlace?) {
    statistics.resyncs += 1
    distrust(library: library, at: place)
  }

  /// Marks everything of a library stale, in O(observed queries), or O(queries) where cached queries
  /// retain.
  @inlinable mutating func distrust(library: Int16, at place: StreamPlace?) {
    let number = nextVerification(of: library, at: place)
    libraries[Int(library)].queryFloor = number
    libraries[Int(library)].entityFloor = number
    libraries[Int(library)].notices.removeAll()
    for query in queries.observed where queries[query].library == library {
      wantingFetch.append(query)
    }
    // What is stale and unobserved holds nothing back.
    guard composition.retention == .cached || composition.retention == .referenceCount else {
      return
    }
    for query in queries.indices where queries[query].library == library {
      updateRetention(of: query)
    }
  }

  /// Counts one more time that something unnamed may have changed; returns its number.
  @inlinable mutating func nextVerification(of library: Int16, at place: StreamPlace?) -> UInt32 {
    let library = Int(library)
    let former = libraries[library].verification
    // A response is compared with one place only: what has another must be waited out.
    if let verified = libraries[library].verifiedAt, verified.stream != place?.stream {
      libraries[library].unplacedVerification = former
    }
    libraries[library].verification = former + 1
    verifications += 1
    // One that is told late, by a server that lags, stands before the last; both must be shown.
    let isEarlier = place.flatMap { libraries[library].verifiedAt?.shows($0) } ?? false
    if !isEarlier { libraries[library].verifiedAt = place }
    if place == nil { libraries[library].unplacedVerification = former + 1 }
    return former + 1
  }

  /// A bulk operation was announced: marks what it may touch, once per token; once more where it was
  /// first told without a place.
  @inlinable mutating func noteBulk(
    _ tag: InvalidationTag, token: UInt64, at place: StreamPlace?
  ) {
    let library = Int(libraryIndex(of: tag.library))
    #if PLANTED_DEFECTS
      if plantedDefect == .bulkNoticeIgnored { return }
    #endif
    if let known = libraries[library].bulkTokens.firstIndex(where: { $0.token == token }) {
      // Told without a place, it said nothing of what was told before it and has come since.
      guard place != nil, !libraries[library].bulkTokens[known].isPlaced else { return }
      libraries[library].bulkTokens.remove(at: known)
    }
    libraries[library].bulkTokens.append((token, place != nil))
    if libraries[library].bulkTokens.count > StoreLimits.bulkTokens {
      libraries[library].bulkTokens.removeFirst()
    }
    markStale(matching: tag, since: place)
  }

  @inlinable func isStaleEntity(_ slot: Slot, payload: Payload) -> Bool {
    let index = entities[slot].library
    // Of an unknown library: whatever happened to any may have happened to it.
    guard index >= 0 else { return entities[slot].verification != verifications }
    let library = libraries[Int(index)]
    let verification = entities[slot].verification
    if verification == library.verification { return false }
    if verification == EntityTable<Payload>.doubted || verification < library.entityFloor {
      return true
    }
    let key = entities.key(of: slot)
    let location = schema.location(of: payload)
    return library.notices.contains { notice in
      guard notice.number > verification else { return false }
      if let type = notice.tag.resourceType, type != key.type { return false }
      if let named = notice.tag.location, let location { return named == location }
      return true
    }
  }
}
