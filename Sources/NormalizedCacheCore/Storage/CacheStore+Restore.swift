public import CacheModel
public import EvictionPolicies

/// How much of a stored cache was restored.
public struct RestoreReport: Hashable, Sendable {
  /// The number of restored entities with a value.
  public var entities = 0
  public var queries = 0
  /// Entities left out because a limit of the policy is lower than when they were stored, or because the
  /// schema no longer caches them.
  public var entitiesLeftOut = 0
  public var queriesLeftOut = 0
  /// Restored queued mutations; those left out exceed a limit, or were queued twice.
  public var mutations = 0
  public var mutationsLeftOut = 0
  /// Values and mutations that the codec could not decode; such an entity is fetched again.
  public var undecodable = 0

  @inlinable public init() {}
}

extension CacheStore {
  /// Restores stored contents after a restart, within the policy's limits.
  ///
  /// Queries are restored by last use, then their members, then other entities by last write: the rest is
  /// left out, and a query without all of its members is answered as partial. A restored query is unobserved;
  /// it is kept as other unobserved queries are, under ``Retention/referenceCountObserved`` until the limit
  /// on queries evicts it. Ages continue across the restart; if the wall clock was set back, the age is zero.
  /// Streams continue at their stored positions, so the first event or heartbeat reveals missed events.
  ///
  /// - Complexity: O(n log n).
  /// - Parameters:
  ///   - stored: the contents of the storage.
  ///   - wallClock: the wall clock at `now`.
  ///   - now: the time.
  /// - Returns: the numbers of restored and omitted items.
  /// - Precondition: the store is unused.
  @discardableResult
  @inlinable public mutating func restore(
    _ stored: Stored, wallClock: Instant, at now: Instant
  ) -> RestoreReport {
    precondition(current.number == 0, "a store is restored before anything else is done with it")
    beginCommit(at: now)
    var report = RestoreReport()
    restore(stored.progress)
    let kept = restoreQueries(stored, wallClock: wallClock, &report)
    restoreEntities(stored.entities, listedBy: kept, wallClock: wallClock, &report)
    for index in streams.indices { openGapIfMissing(stream: index) }
    for mutation in stored.outbox {
      do {
        try requeue(mutation)
        report.mutations += 1
      } catch {
        report.mutationsLeftOut += 1
      }
    }
    endCommit()
    // Items restored first may have been evicted for later ones.
    if limits.countsMemory { recount(stored, &report) }
    persistence.didRestore(
      isWhole: report.entitiesLeftOut == 0 && report.queriesLeftOut == 0
        && report.mutationsLeftOut == 0)
    return report
  }

  /// Counts the stored items that are now in the store.
  @inlinable func recount(_ stored: Stored, _ report: inout RestoreReport) {
    report.queries = stored.queries.count { stored in
      queries.index(of: stored.key).map { queries[$0].hasResult } ?? false
    }
    report.queriesLeftOut = stored.queries.count - report.queries
    report.entities = 0
    report.entitiesLeftOut = 0
    for stored in stored.entities {
      let slot = entities.slot(of: stored.key)
      let isResident = slot.map { entities.isResident($0) } ?? false
      // A pending edit may have created it again, without its stored state.
      let isKnown = slot.map { entities[$0].version == stored.version } ?? false
      if isResident { report.entities += 1 }
      if !isKnown || stored.payload != nil && !isResident { report.entitiesLeftOut += 1 }
    }
  }

  @inlinable mutating func restore(_ progress: StoredProgress) {
    for stream in progress.streams {
      _ = streams.follow(
        stream.id, from: stream.cursor, baseline: stream.baseline, known: stream.known)
    }
    let restored = progress.libraries.map { stored in
      var library = LibraryState(id: stored.id)
      library.verification = stored.verification
      library.verifiedAt = streamPlace(of: stored.verifiedAt)
      library.unplacedVerification = stored.unplacedVerification
      library.queryFloor = stored.queryFloor
      library.entityFloor = stored.entityFloor
      library.notices = stored.notices.map { ($0.tag, $0.number) }
      library.bulkTokens = stored.bulkTokens.map { ($0.token, $0.isPlaced) }
      library.streamCount = streams.states.count { $0.id.library == stored.id }
      return library
    }
    libraries.restore(
      restored, verifications: progress.verifications, holdsUnowned: progress.holdsUnowned)
    entities.forgotten = progress.forgotten
  }

  @inlinable func streamPlace(of place: StoredPlace?) -> StreamPlace? {
    place.flatMap { place in
      streams.index(of: place.stream).map { StreamPlace(stream: $0, position: place.position) }
    }
  }

  /// Converts a stored time of day to an instant of this run.
  ///
  /// The age is at most a century, so that a damaged row cannot overflow later arithmetic.
  @inlinable func restored(_ instant: Instant, wallClock: Instant) -> Int64 {
    let age = instant.duration(to: wallClock).wholeNanoseconds
    let century = Duration.seconds(100 * 365 * 86_400).wholeNanoseconds
    return now.nanoseconds - min(max(age, 0), century)
  }

  /// Restores the most recently used queries, up to the limit.
  @inlinable mutating func restoreQueries(
    _ state: Stored, wallClock: Instant, _ report: inout RestoreReport
  ) -> [Int32] {
    let stored = state.queries
    let byUse = stored.indices.sorted {
      (stored[$0].lastReadAt, $0) > (stored[$1].lastReadAt, $1)
    }
    let most = composition.maximumQueries ?? .max
    var chosen: [(query: StoredQuery, plan: QueryPlan<Schema.Predicate>)] = []
    for index in byUse where chosen.count < most {
      let plan = schema.plan(for: stored[index].key)
      let count = stored[index].members?.count ?? 0
      guard plan.isCacheable, count <= plan.limit ?? .max else { continue }
      chosen.append((stored[index], plan))
    }
    if limits.countsMemory {
      chosen.removeLast(chosen.count - fitting(chosen.map(\.query), valuesOf: state.entities))
    }
    var taken: [Int32] = []
    // The most recently used comes last, so that it is the youngest.
    for (query, plan) in chosen.reversed() {
      if let index = restore(query, plan: plan, wallClock: wallClock) { taken.append(index) }
    }
    if limits.countsMemory {
      // Later queries may have displaced earlier ones.
      let inUse = taken.indices.filter {
        queries[taken[$0]].isInUse && !taken[($0 + 1)...].contains(taken[$0])
      }
      taken = inUse.map { taken[$0] }
    }
    report.queries = taken.count
    report.queriesLeftOut = stored.count - taken.count
    return taken.reversed()
  }

  /// Returns how many queries fit in memory with the values of their rows, so that none is restored without
  /// them.
  @usableFromInline func fitting(
    _ queries: [StoredQuery], valuesOf stored: [StoredEntity<Payload>]
  ) -> Int {
    var weights: [EntityKey: Int] = [:]
    for entity in stored {
      weights[entity.key] = entity.payload.map { max(schema.weight(of: $0), 0) }
    }
    var growth = TableGrowth()
    var weight = 0
    for (index, query) in queries.enumerated() {
      growth.queries += 1
      growth.inputBytes += query.key.input.count
      for key in query.members ?? [] {
        growth.listings += 1
        // Listed again, it needs no further slot.
        guard let own = weights.removeValue(forKey: key) else { continue }
        growth.slots += 1
        weight += own
      }
      let tables = predictedTables(after: growth)
      let isWithin =
        tables <= mostForTables && tables + predictedValues(adding: weight) <= limits.highMemory
      if !isWithin { return index }
    }
    return queries.count
  }

  @inlinable mutating func restore(
    _ stored: StoredQuery, plan: QueryPlan<Schema.Predicate>, wallClock: Instant
  ) -> Int32? {
    guard queries.index(of: stored.key) == nil, makeSpace(for: TableGrowth(query: stored.key)),
      !limits.countsMemory || hasPlaces(for: stored.members ?? [], in: -1)
    else { return nil }
    let query = insertQuery(stored.key, plan: plan)
    let members = (stored.members ?? []).map { entities.obtainSlot(of: $0) }
    evictable.order.reserve(slots: entities.slotCount)
    replaceMembers(of: query, with: members)
    queries[query].hasResult = true
    queries[query].hasMore = stored.hasMore
    queries[query].isSorted = stored.isSorted
    queries[query].isTagged = stored.isTagged
    queries[query].fetchedAt = restored(stored.fetchedAt, wallClock: wallClock)
    queries[query].lastReadAt = restored(stored.lastReadAt, wallClock: wallClock)
    queries[query].place = streamPlace(of: stored.place)
    queries[query].verification = stored.verification
    queries[query].isMarkedStale = stored.isMarkedStale
    queries[query].staleSince = streamPlace(of: stored.staleSince)
    libraries.noteData(of: queries[query].library)
    scheduleExpiry(of: query)
    refetches.polls.note(query, answeredAt: queries[query].fetchedAt)
    updateRetention(of: query)
    letGoIfExpired(query)
    return queries[query].isInUse ? query : nil
  }

  /// Restores the members of queries, then the most recently written entities, through the limits of the
  /// write path.
  @inlinable mutating func restoreEntities(
    _ stored: [StoredEntity<Payload>], listedBy queriesByUse: [Int32], wallClock: Instant,
    _ report: inout RestoreReport
  ) {
    // The stored entity of each slot that a query has created.
    var places = [Int](repeating: -1, count: entities.slotCount)
    var slots = [Slot](repeating: -1, count: stored.count)
    for index in stored.indices {
      guard let slot = entities.slot(of: stored[index].key) else { continue }
      places[Int(slot)] = index
      slots[index] = slot
    }
    var ranked: [Int] = []
    var isRanked = [Bool](repeating: false, count: stored.count)
    for query in queriesByUse {
      for slot in queries[query].members {
        let index = places[Int(slot)]
        guard index >= 0, !isRanked[index] else { continue }
        isRanked[index] = true
        ranked.append(index)
      }
    }
    ranked += stored.indices.filter { !isRanked[$0] }.sorted {
      (stored[$0].writtenAt, stored[$0].key) > (stored[$1].writtenAt, stored[$1].key)
    }
    var room = (entities: limits.highEntities, bytes: limits.highBytes)
    let fits = ranked.map { index in
      guard let payload = stored[index].payload else { return true }
      let weight = max(schema.weight(of: payload), 0)
      guard room.entities > 0, weight <= room.bytes else { return false }
      room.entities -= 1
      room.bytes -= weight
      return true
    }
    // The most wanted comes last, so that it is the youngest.
    for (index, isTaken) in zip(ranked, fits).reversed() {
      restore(
        stored[index], expectedIn: slots[index], withValue: isTaken, wallClock: wallClock)
      let slot = entities.slot(of: stored[index].key, expected: slots[index])
      let isResident = slot.map { entities.isResident($0) } ?? false
      if isResident { report.entities += 1 }
      if slot == nil || stored[index].payload != nil && !isResident { report.entitiesLeftOut += 1 }
    }
  }

  @inlinable mutating func restore(
    _ stored: StoredEntity<Payload>, expectedIn expected: Slot, withValue: Bool, wallClock: Instant
  ) {
    guard hasPlace(for: stored.key) else { return }
    let slot = entities.obtainSlot(of: stored.key, expected: expected)
    evictable.order.reserve(slots: entities.slotCount)
    entities[slot].version = stored.version
    entities[slot].verification = stored.verification
    entities[slot].writtenAt = restored(stored.writtenAt, wallClock: wallClock)
    if let library = stored.library {
      entities[slot].library = libraries.index(of: library)
      libraries.noteData(of: entities[slot].library)
    }
    entities.pinned = slot
    if withValue, let payload = stored.payload, hasSpace(for: payload, in: slot) {
      admit(payload, in: slot, replacesValue: true)
      enforceCapacity(protecting: slot)
    }
    entities.pinned = -1
    entities.freeIfUnused(slot)
  }
}
