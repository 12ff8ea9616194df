public import CacheModel
public import EvictionPolicies

/// The store's contents in the form in which they are stored.
///
/// Times are the store's plus `offset`, which converts them to the wall clock's.
extension CacheStore {
  /// A mutation of the store's schema.
  public typealias Mutation = ClientMutation<Schema.Payload, Schema.Change>
  public typealias Batch = StorageBatch<Schema.Payload, Mutation>
  public typealias Stored = StoredState<Schema.Payload, Mutation>

  /// Returns the complete contents for a storage.
  ///
  /// O(slots + rows). For tests and reference models.
  @inlinable package func storedState(wallClock: Instant, at now: Instant) -> Stored {
    var batch = Batch(number: 0, replacesAll: true)
    appendAll(to: &batch, offset: wallClock.nanoseconds &- now.nanoseconds)
    return StoredState(
      entities: batch.entities, queries: batch.queries, progress: storedProgress, outbox: outbox)
  }

  @inlinable func appendAll(to batch: inout Batch, offset: Int64) {
    for slot in 0..<Int32(entities.slotCount) {
      if let entity = storedEntity(slot, offset: offset) { batch.entities.append(entity) }
    }
    for query in queries.indices where isStorable(query) {
      batch.queries.append(storedQuery(query, withMembers: true, offset: offset))
    }
  }

  @inlinable mutating func append(
    _ changes: [ChangeLog<EntityKey>.Change], to batch: inout Batch,
    offset: Int64
  ) {
    batch.entities.reserveCapacity(changes.count)
    for change in changes {
      if let entity = storedEntity(change.place, offset: offset) {
        batch.entities.append(entity)
        entities.changes.noteStored(change.place)
      } else if entities.isInUse(change.place) {
        // Deleted, and kept only so that older writes are ignored.
        entities.changes.didFree(change.place, key: entities.key(of: change.place))
      }
    }
  }

  @inlinable mutating func append(
    _ changes: [ChangeLog<QueryKey>.Change], to batch: inout Batch,
    offset: Int64
  ) {
    for change in changes where queries[change.place].isInUse {
      guard isStorable(change.place) else {
        // A list that did not fit is still observed, but no longer has a result.
        queries.changes.didFree(change.place, key: queries[change.place].key)
        continue
      }
      let isStored = queries.changes.marks[change.place].contains(.stored)
      if isStored, change.marks.isDisjoint(with: [.value, .members]) {
        batch.uses.append(
          StoredUse(
            key: queries[change.place].key,
            lastReadAt: Instant(nanoseconds: queries[change.place].lastReadAt &+ offset)))
        continue
      }
      let withMembers = !isStored || change.marks.contains(.members)
      batch.queries.append(storedQuery(change.place, withMembers: withMembers, offset: offset))
      queries.changes.noteStored(change.place)
    }
  }

  /// Returns an entity if it has a value, or if a query lists it and its version is known.
  ///
  /// Of a deleted one only its forgotten version is stored.
  @inlinable func storedEntity(_ slot: Slot, offset: Int64) -> StoredEntity<Payload>? {
    let payload = entities.payload(of: slot)
    guard payload != nil || entities.isListed(slot) && entities[slot].version != .none else {
      return nil
    }
    let owner = entities[slot].library
    return StoredEntity(
      key: entities.key(of: slot), version: entities[slot].version, payload: payload,
      library: owner >= 0 && !libraries.isShared(owner) ? libraries[owner].id : nil,
      verification: entities[slot].verification,
      writtenAt: Instant(nanoseconds: entities[slot].writtenAt &+ offset))
  }

  @inlinable func isStorable(_ query: Int32) -> Bool {
    queries[query].isInUse && queries[query].hasResult && queries[query].plan.isCacheable
  }

  @inlinable func storedQuery(_ query: Int32, withMembers: Bool, offset: Int64) -> StoredQuery {
    let record = queries[query]
    return StoredQuery(
      key: record.key,
      members: withMembers ? record.members.map { entities.key(of: $0) } : nil,
      hasMore: record.hasMore, isSorted: record.isSorted, isTagged: record.isTagged,
      fetchedAt: Instant(nanoseconds: record.fetchedAt &+ offset),
      lastReadAt: Instant(nanoseconds: record.lastReadAt &+ offset),
      place: stored(record.place), verification: record.verification,
      isMarkedStale: record.isMarkedStale, staleSince: stored(record.staleSince))
  }

  @inlinable func stored(_ place: StreamPlace?) -> StoredPlace? {
    place.map { StoredPlace(stream: streams[$0.stream].id, position: $0.position) }
  }

  @inlinable var storedProgress: StoredProgress {
    var progress = StoredProgress()
    progress.streams = streams.states.map { stream in
      StoredStream(
        id: stream.id, cursor: stream.cursor, baseline: stream.baseline, known: stream.known)
    }
    progress.libraries = libraries.states.map { library in
      var stored = StoredLibrary(id: library.id)
      stored.verification = library.verification
      stored.verifiedAt = self.stored(library.verifiedAt)
      stored.unplacedVerification = library.unplacedVerification
      stored.queryFloor = library.queryFloor
      stored.entityFloor = library.entityFloor
      stored.notices = library.notices.map { StoredLibrary.Notice(tag: $0.tag, number: $0.number) }
      stored.bulkTokens = library.bulkTokens.map {
        StoredLibrary.BulkToken(token: $0.token, isPlaced: $0.isPlaced)
      }
      return stored
    }
    progress.verifications = libraries.verifications
    progress.holdsUnowned = libraries.holdsUnowned
    progress.forgotten = max(entities.forgotten, entities.buried)
    return progress
  }
}

/// What to drop so that the rest fits: whole queries with the members that only they list, and unlisted
/// entities, least recently used first.
///
/// Nothing is orphaned: members leave with their query, and an entity stays while any query lists it.
@usableFromInline package struct TrimPlan: Sendable {
  @usableFromInline package struct Query: Sendable {
    package var lastReadAt: Int64
    package var bytes: Int
    /// Indices of entities, possibly repeated.
    package var members: [Int]

    @usableFromInline package init(lastReadAt: Int64, bytes: Int, members: [Int]) {
      self.lastReadAt = lastReadAt
      self.bytes = bytes
      self.members = members
    }
  }

  @usableFromInline package struct Entity: Sendable {
    package var writtenAt: Int64
    package var bytes: Int

    @usableFromInline package init(writtenAt: Int64, bytes: Int) {
      self.writtenAt = writtenAt
      self.bytes = bytes
    }
  }

  @usableFromInline package private(set) var droppedQueries: [Int] = []
  @usableFromInline package private(set) var droppedEntities: [Int] = []

  /// O(n log n).
  @usableFromInline package init(queries: [Query], entities: [Entity], fitting bytes: Int) {
    var excess = queries.reduce(0) { $0 + $1.bytes } + entities.reduce(0) { $0 + $1.bytes } - bytes
    var listings = [Int](repeating: 0, count: entities.count)
    for query in queries {
      for member in query.members { listings[member] += 1 }
    }
    enum Item {
      case query(Int)
      case entity(Int)
    }
    var items = queries.indices.map { (use: queries[$0].lastReadAt, item: Item.query($0)) }
    items += entities.indices.filter { listings[$0] == 0 }.map {
      (use: entities[$0].writtenAt, item: Item.entity($0))
    }
    items.sort { $0.use < $1.use }
    for (_, item) in items {
      guard excess > 0 else { return }
      switch item {
      case .entity(let index):
        droppedEntities.append(index)
        excess -= entities[index].bytes
      case .query(let index):
        droppedQueries.append(index)
        excess -= queries[index].bytes
        for member in queries[index].members {
          listings[member] -= 1
          guard listings[member] == 0 else { continue }
          droppedEntities.append(member)
          excess -= entities[member].bytes
        }
      }
    }
  }
}
