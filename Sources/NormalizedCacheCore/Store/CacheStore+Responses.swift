public import CacheModel
public import EvictionPolicies

/// Comparing a response with later changes, and making it a list.
extension CacheStore {
  @inlinable mutating func install(
    _ response: FetchResponse<Payload>, at place: StreamPlace?, in query: Int32, _ fetch: Fetch,
    verification: UInt32, ofEntities entityVerification: UInt32,
    leavingOut outdated: Set<EntityKey>
  ) {
    let record = queries[query]
    queries[query].fetch = nil
    guard takesResponse(query, fetch, readAt: place) else { return }
    if optimistic.visible.isWatched { rememberRows(query) }
    let members = slots(of: response.entities, listedAs: record.members)
    evictable.order.reserve(slots: entities.slotCount)
    queries[query].hasResult = true
    libraries.noteData(of: record.library)
    if !record.hasResult || members != record.members {
      replaceMembers(of: query, with: members)
      touchRows(of: query)
    }
    queries[query].hasMore = response.hasMore
    if record.hasResult, record.hasMore != response.hasMore, notifications.notifiesOfMore {
      scheduleNotification(of: query)
    }
    queries[query].isSorted = isSorted(response.entities, by: record.plan.predicate)
    // The positions of pending rows depend on these too.
    optimistic.visible.unpin(query)
    if optimistic.visible.isWatched { scheduleNotification(of: query) }
    noteRead(query, before: record, fetch, readAt: place, verification: verification)
    var known: [EntityKey] = []
    // The query lists every slot, so none is freed before its turn.
    for (row, slot) in zip(response.entities, members)
    where outdated.isEmpty || !outdated.contains(row.key) {
      var entity = row
      let result = write(
        &entity, in: slot, library: record.library, verification: entityVerification, at: place,
        listedBy: query)
      if isSuperseded(result) { known.append(entity.key) }
      replaced.keep(entity)
    }
    // After all rows have values, since a row's position depends on the others.
    for key in known { correct(query, about: key) }
    if Schema.hasSummaries, !known.isEmpty { askForWholes(of: query) }
    queries[query].isAsRead = place != nil && known.isEmpty && outdated.isEmpty
    statistics.entityAccesses += response.entities.count
  }

  /// Returns the slots of a list's rows, adding missing ones.
  ///
  /// - Parameters:
  ///   - rows: the rows.
  ///   - former: the previous list: most rows follow the same row as before, and need no lookup.
  /// - Returns: the slots, one for each row.
  @inlinable mutating func slots(
    of rows: [VersionedEntity<Payload>], listedAs former: [Slot]
  ) -> [Slot] {
    var next = 0
    return rows.indices.map { index in
      let key = rows[index].key
      // The second one, if a row has left.
      for place in next..<min(next + 2, former.count) where entities[former[place]].key == key {
        next = place + 1
        return former[place]
      }
      return entities.obtainSlot(of: key)
    }
  }

  /// Returns the number of the library's last verification that a response includes.
  @inlinable func verification(ofAnswerTo fetch: Fetch, readAt place: StreamPlace?) -> UInt32 {
    let isShown = libraries[fetch.library].verifiedAt.map { place?.shows($0) ?? false } ?? false
    if let place, !isShown, isBehind(place, fetch) {
      // The server lags: it is unknown how many verifications it lacks.
      return 0
    }
    return covers(place, fetch: fetch)
      ? libraries.verification(of: fetch.library) : fetch.verification
  }

  /// Returns the rows of a response that may be older than forgotten versions: the response was read, by a
  /// server that lags, before events that the cache had received when it sent the request.
  @inlinable func outdatedRows(
    of response: FetchResponse<Payload>, _ fetch: Fetch, readAt place: StreamPlace?
  ) -> Set<EntityKey> {
    guard let place, isBehind(place, fetch) else { return [] }
    return Set(response.entities.filter { mayBeOutdated($0) }.map(\.key))
  }

  /// Inserts a query for an answer that only callers wait for; `nil` if it is not kept.
  @inlinable mutating func insertIfKept(_ key: QueryKey) -> Int32? {
    let plan = schema.plan(for: key)
    guard plan.isCacheable, composition.maximumQueries != 0,
      makeSpace(for: TableGrowth(query: key))
    else { return nil }
    return insertQuery(key, plan: plan)
  }

  /// Returns whether a response may replace a query's list: an older one never replaces a newer list, nor one
  /// that later events have changed.
  @inlinable mutating func takesResponse(
    _ query: Int32, _ fetch: Fetch, readAt place: StreamPlace?
  ) -> Bool {
    guard isOlderThanList(of: query, fetch, readAt: place) else { return true }
    queries[query].awaitsServer = isMarkedStale(query)
    return false
  }

  @inlinable func isOlderThanList(
    of query: Int32, _ fetch: Fetch, readAt place: StreamPlace?
  ) -> Bool {
    guard queries[query].hasResult, let place else { return false }
    return isBehind(place, fetch)
  }

  /// Notes when and where a query's list was read, and ends what that settles.
  @inlinable mutating func noteRead(
    _ query: Int32, before record: QueryRecord<Schema.Predicate>, _ fetch: Fetch,
    readAt place: StreamPlace?, verification: UInt32
  ) {
    queries[query].place = place
    queries[query].verification = verification
    queries[query].fetchedAt = ageBegins(ofAnswerTo: fetch, lifetime: queries[query].lifetime)
    queries.changes.mark(query)
    queries[query].failures = 0
    scheduleExpiry(of: query)
    settleStaleness(of: query, before: record, fetch, readAt: place)
    updateRetention(of: query)
  }

  /// The time from which the age of an answer is counted, in nanoseconds.
  @inlinable func ageBegins(ofAnswerTo fetch: Fetch, lifetime: Int64) -> Int64 {
    switch composition.freshness.start {
    case .answer: return now.nanoseconds
    case .request: return fetch.askedAt
    case .answerWhileObserved:
      let isPast = queries.observerCount == 0 || fetch.begun <= expiries.unwatchedCommit
      return isPast && lifetime != .max ? now.nanoseconds - lifetime : now.nanoseconds
    }
  }

  /// Returns whether the rows are in the schema's order.
  ///
  /// The server may have its own order, or repeat rows; then the cache cannot determine positions. O(rows).
  @inlinable func isSorted(
    _ rows: [VersionedEntity<Payload>], by predicate: Schema.Predicate
  ) -> Bool {
    guard composition.membership == .patch else { return true }
    for index in rows.indices.dropFirst() {
      let (before, after) = (rows[index - 1], rows[index])
      let isInOrder = schema.precedes(
        before.payload, key: before.key, after.payload, key: after.key, in: predicate)
      if !isInOrder { return false }
    }
    return true
  }

  /// Ends the query's staleness if the response includes its cause; otherwise requests another fetch.
  @inlinable mutating func settleStaleness(
    of query: Int32, before record: QueryRecord<Schema.Predicate>, _ fetch: Fetch,
    readAt place: StreamPlace?
  ) {
    let cameAfter = record.unplacedInvalidations != record.unplacedInvalidationsAtFetch
    let isShown: Bool
    if let since = record.staleSince, let place, place.stream == since.stream {
      isShown = place.shows(since)
    } else if record.staleSince != nil {
      // Positions in two streams cannot be compared; only a later fetch is certain to include it.
      isShown = record.staleSinceCommit <= fetch.begun
    } else {
      isShown = true
    }
    if !record.isMarkedStale || isShown && !cameAfter {
      queries[query].isMarkedStale = false
      queries[query].staleSince = nil
    }
    if isMarkedStale(query) { refetches.want(query) }
  }

  /// Corrects a new list where the cache has a newer row than the response.
  @inlinable mutating func correct(_ query: Int32, about key: EntityKey) {
    guard composition.membership != .blind, let slot = entities.slot(of: key) else { return }
    if entities[slot].isTombstone {
      guard listing(of: slot, in: query) != nil else { return }
      remove(slot, from: query, since: nil)
    } else if let payload = entities.payload(of: slot) {
      patch(query, holding: slot, payload: payload, former: nil, since: nil)
    }
    entities.freeIfUnused(slot)
  }

  /// Returns whether a response was read no earlier than the library's last verification began.
  @inlinable func covers(_ place: StreamPlace?, fetch: Fetch) -> Bool {
    libraries.covers(place, verification: fetch.verification, library: fetch.library)
  }

  /// Returns whether a response was read before events that the cache had received when it sent the request.
  @inlinable func isBehind(_ place: StreamPlace, _ fetch: Fetch) -> Bool {
    place.position < streams.followed(place.stream, asOf: fetch.cursors)
  }
}

/// The server's response does not answer the request.
///
/// It counts as a failed fetch. Nothing of it is kept, and every waiting caller gets this error.
public enum ResponseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The answer to a query lists an entity of a type that its plan does not include.
  case unplannedType(EntityKey, row: Int, query: QueryKey, planned: [ResourceType])
  /// The answer has more rows than the query's limit, or more than one entity for a fetch of one.
  case tooManyRows(Int, limit: Int, FetchTarget)
  /// A different entity than the requested one.
  case otherEntity(EntityKey, asked: EntityKey)
  /// A summary of an entity, for a request of the whole.
  case summaryOnly(EntityKey, FetchTarget)
  /// "Not modified", for a request without a condition.
  case notModifiedUnasked(FetchTarget)

  @inlinable public var description: String {
    switch self {
    case .unplannedType(let key, let row, let query, let planned):
      "the answer to \(Self.name(.query(query))) lists in row \(row) the entity \(key.id) of type "
        + "\(key.type.rawValue), its plan names \(planned.map(\.rawValue)); name every type that the "
        + "query lists in QueryPlan.resourceTypes, or correct the server"
    case .tooManyRows(let count, let limit, let target):
      "the answer to \(Self.name(target)) has \(count) rows, at most \(limit) were asked for; have the "
        + "server keep the limit, or correct QueryPlan.limit"
    case .otherEntity(let key, let asked):
      "the answer to \(Self.name(.entity(asked))) is the entity \(key.id) of type "
        + "\(key.type.rawValue); have the source answer with the entity that was asked for, or none"
    case .summaryOnly(let key, let target):
      "the answer to \(Self.name(target)) has only a summary of the entity \(key.id) of type "
        + "\(key.type.rawValue); have the server answer with the whole, or set "
        + "QueryPlan.showsSummaries"
    case .notModifiedUnasked(let target):
      "the answer to \(Self.name(target)) is \"not modified\", though the request set no condition; "
        + "answer so only where FetchRequest.unlessChangedSince is given"
    }
  }

  @usableFromInline static func name(_ target: FetchTarget) -> String {
    switch target {
    case .query(let key):
      "a query of method \(key.method.rawValue) in library \(key.library.rawValue), "
        + "\(key.input.count) bytes of input"
    case .entity(let key): "a fetch of entity \(key.id) of type \(key.type.rawValue)"
    }
  }
}

extension CacheStore {
  /// Returns the first fault of an answer in the order of its rows; O(rows).
  @inlinable func fault(of response: FetchResponse<Payload>, to asked: Fetch) -> ResponseError? {
    if response.isNotModified {
      return asked.condition == nil ? .notModifiedUnasked(asked.target) : nil
    }
    switch asked.target {
    case .entity(let key):
      if response.entities.count > 1 {
        return .tooManyRows(response.entities.count, limit: 1, asked.target)
      }
      guard let only = response.entities.first else { return nil }
      if only.key != key { return .otherEntity(only.key, asked: key) }
      return Schema.hasSummaries && schema.isSummary(only.payload)
        ? .summaryOnly(key, asked.target) : nil
    case .query(let key):
      let plan = queries.index(of: key).map { queries[$0].plan } ?? schema.plan(for: key)
      if let limit = plan.limit, response.entities.count > limit {
        return .tooManyRows(response.entities.count, limit: limit, asked.target)
      }
      let row = response.entities.firstIndex { !plan.resourceTypes.contains($0.key.type) }
      if let row {
        return .unplannedType(
          response.entities[row].key, row: row, query: key, planned: plan.resourceTypes)
      }
      guard Schema.hasSummaries, !plan.showsSummaries else { return nil }
      return response.entities.first { schema.isSummary($0.payload) }.map {
        .summaryOnly($0.key, asked.target)
      }
    }
  }
}
