public import CacheModel
public import EvictionPolicies

/// Fetching, and applying the server's answer.
extension CacheStore {
  @discardableResult
  @inlinable mutating func beginFetch(of query: Int32) -> FetchID {
    let fetch = beginFetch(
      of: .query(queries[query].key), library: queries[query].library,
      condition: placeOfUnchangedList(of: query))
    queries[query].fetch = fetch
    queries[query].unplacedInvalidationsAtFetch = queries[query].unplacedInvalidations
    queries[query].awaitsServer = false
    queries[query].isBackingOff = false
    queries[query].isDeclined = false
    queries[query].readersBesideObservers = -queries[query].observers
    return fetch
  }

  @inlinable mutating func beginFetch(
    of target: FetchTarget, library: Int16? = nil, condition: StreamPlace? = nil
  ) -> FetchID {
    let id = fetches.nextFetch(of: target)
    var index = library ?? -1
    if case .query(let key) = target, library == nil { index = libraries.index(of: key.library) }
    send(id, for: target, library: index, condition: condition)
    return id
  }

  /// Registers a fetch in flight, as of now.
  @inlinable mutating func send(
    _ id: FetchID, for target: FetchTarget, library: Int16, condition: StreamPlace?
  ) {
    let fetch = Fetch(
      target: target, library: library, begun: current.number, askedAt: now.nanoseconds,
      verification: libraries.verification(of: library), cursors: streams.cursors,
      condition: condition)
    fetches.begin(id, fetch)
    let place = condition.map { streams.eventPlace(of: $0) }
    actions.append(.fetch(id, FetchRequest(target: target, unlessChangedSince: place)))
  }

  /// Ends a fetch that failed; the query keeps its rows.
  ///
  /// An unknown fetch is ignored.
  ///
  /// - Parameters:
  ///   - id: the fetch.
  ///   - now: the time.
  /// - Returns: the result for waiting callers: an error, or the expired rows.
  @discardableResult
  @inlinable public mutating func failFetch(_ id: FetchID, at now: Instant) -> FetchEnding {
    beginCommit(at: now)
    defer { endCommit() }
    return endInVain(id)
  }

  @inlinable mutating func endInVain(_ id: FetchID) -> FetchEnding {
    guard let (fetch, isAwaited) = fetches.end(id) else { return .failed }
    fetches.settle()
    let ending = ending(ofFailed: fetch.target)
    guard isAwaited, case .query(let key) = fetch.target, let query = queries.index(of: key)
    else { return ending }
    if planted(.failedFetchForgottenByQuery) { return ending }
    queries[query].fetch = nil
    if queries[query].isObserved {
      backOff(query: query)
    } else if !queries[query].hasResult {
      dropQuery(query, cause: .missCold)
    } else {
      settleUnobservedRead(of: query)
      if queries[query].isInUse { letGoIfExpired(query) }
    }
    return ending
  }

  /// Applies the server's answer.
  ///
  /// Values older than the cache's are ignored, and changes after the response was read are applied again on
  /// top of it. An unknown fetch is ignored.
  ///
  /// - Complexity: O(rows).
  /// - Parameters:
  ///   - id: the fetch.
  ///   - response: the answer.
  ///   - now: the time.
  /// - Returns: the result for waiting callers. After "not modified" the fetch is repeated in full if the
  ///   cache has meanwhile changed its rows.
  @discardableResult
  @inlinable public mutating func completeFetch(
    _ id: FetchID, with response: FetchResponse<Payload>, at now: Instant
  ) -> FetchEnding {
    beginCommit(at: now)
    defer { endCommit() }
    guard let asked = fetches[id] else { return .failed }
    if let fault = fault(of: response, to: asked) {
      let ending = endInVain(id)
      return ending == .failed ? .rejected(fault) : ending
    }
    let confirmed = response.isNotModified ? queryConfirmed(by: id, asked) : nil
    if response.isNotModified, confirmed == nil {
      askInFull(id, asked)
      return .askedAgain
    }
    guard let (fetch, isAwaited) = fetches.end(id) else { return .failed }
    if let place = response.place { noteBaseline(place, missed: place.position.sequence) }
    let place = streams.place(of: response.place)
    let verification = verification(ofAnswerTo: fetch, readAt: place)

    let outdated = outdatedRows(of: response, fetch, readAt: place)
    // Events between the response's position and the beginning of the subscription were never received, or
    // could not be decoded.
    let isLate = place.map { isBehind($0, fetch) } ?? false
    let entityVerification = isLate ? LibraryTable.unverified : verification

    // Before the rows are written: one may be evicted again before the changes are applied again.
    fetches.changes.overtake(by: response.entities)
    switch fetch.target {
    case .entity(let key):
      completeEntityFetch(
        of: key, fetch, with: response, at: place, entityVerification, leavingOut: outdated)
    case .query(let key):
      let query = isAwaited ? queries.index(of: key) ?? insertIfKept(key) : nil
      if let query,
        confirmed != nil || keepsList(of: query, response, fetch, readAt: place)
      {
        current.filledQuery = query
        if confirmed != nil {
          confirm(query, fetch, readAt: place, verification: verification)
        } else {
          install(
            response, at: place, in: query, fetch, verification: verification,
            ofEntities: entityVerification, leavingOut: outdated)
        }
        reapplyChanges(since: fetch, to: query, readAt: place)
        current.filledQuery = -1
        settleUnobservedRead(of: query)
        notePoll(of: query)
        if queries[query].isInUse { dropIfUnwanted(query) }
      } else {
        if let query { decline(query) }
        // For a list that is not kept, only entities that are already cached are updated.
        for entity in response.entities
        where !outdated.contains(entity.key)
          && (query == nil || entities.slot(of: entity.key) != nil)
        {
          write(entity, library: fetch.library, verification: entityVerification, at: place)
        }
        reapplyChanges(since: fetch, to: Set(response.entities.map(\.key)), readAt: place)
      }
    }
    fetches.settle()
    return .answered
  }

  /// Returns whether there is space for a response's list; one older than the current list needs none.
  @inlinable @inline(never) mutating func keepsList(
    of query: Int32, _ response: FetchResponse<Payload>, _ fetch: Fetch,
    readAt place: StreamPlace?
  ) -> Bool {
    !limits.countsMemory || isOlderThanList(of: query, fetch, readAt: place)
      || hasPlaces(for: response.entities.map(\.key), in: query)
  }

  @inlinable mutating func completeEntityFetch(
    of key: EntityKey, _ fetch: Fetch, with response: FetchResponse<Payload>,
    at place: StreamPlace?, _ verification: UInt32, leavingOut outdated: Set<EntityKey>
  ) {
    if let entity = response.entities.first {
      if !outdated.contains(entity.key) {
        write(entity, library: fetch.library, verification: verification, at: place)
      }
    } else if let slot = entities.slot(of: key), entities.isResident(slot),
      !(place.map { isBehind($0, fetch) } ?? false)
    {
      // The server does not have it, and does not lag behind events that may have created it.
      if optimistic.visible.isWatched { willChange(slot, to: nil) }
      removeResident(slot, cause: .invalidated)
      markHoldersStale(of: slot, since: place)
      entities.freeIfUnused(slot)
    }
    reapplyChanges(since: fetch, to: [key], readAt: place)
  }
}

/// Applies changes that arrived during a fetch on top of its response.
extension CacheStore {
  /// Applies again, in order, the changes received after the fetch began and not included in the response.
  @inlinable mutating func reapplyChanges(
    since fetch: Fetch, to query: Int32, readAt place: StreamPlace?
  ) {
    if planted(.changesDuringFetchForgotten) { return }
    guard let changes = fetches.changes.since(commit: fetch.begun, notShownAt: place) else {
      markStale(query, since: nil)
      for slot in queries[query].members { markUnverified(slot) }
      return
    }
    current.isApplyingEvents = true
    defer { didApplyEvents() }
    var isUnverified = false
    // An entity of the response, or of a change applied again, follows every later change of its own, even if
    // it has left the list meanwhile.
    var reported: Set<EntityKey> = []
    if !changes.isEmpty {
      var changed = KeyFilter()
      for entry in changes { changed.insert(entry.change.key) }
      for slot in queries[query].members where changed.mayHave(entities.key(of: slot)) {
        reported.insert(entities.key(of: slot))
      }
    }
    for (index, entry) in changes.enumerated()
    where concerns(entry.change, query) || reported.contains(entry.change.key) {
      reported.insert(entry.change.key)
      if recordedOrders.isOn { recordPosition(of: entry.change, in: query) }
      if isOutdated(entry, before: changes[(index + 1)...]) {
        isUnverified = true
        continue
      }
      reapply(entry, to: query)
      // The response may be the later of the two, and missed events may be between them.
      let library = entry.change.library
      let isComparable = place != nil && entry.place?.stream == place?.stream
      if !isComparable, library < 0 || entry.verification < libraries[library].verification {
        isUnverified = true
      }
    }
    if isUnverified { markStale(query, since: nil) }
    guard queries[query].isInUse, let place, isBehind(place, fetch) else { return }
    // Events between the response's position and the beginning of the subscription are in neither.
    markStale(
      query,
      since: StreamPlace(
        stream: place.stream, position: streams.followed(place.stream, asOf: fetch.cursors)))
    queries[query].awaitsServer = place.stream < fetch.cursors.count
  }

  /// Returns whether a change to be applied again may be older than a version of its entity forgotten since.
  @inlinable func isOutdated(
    _ entry: RecentChanges<Payload>.Entry, before later: ArraySlice<RecentChanges<Payload>.Entry>
  ) -> Bool {
    let key = entry.change.key
    guard let version = entry.change.version, mayBeOutdated(version, in: entities.slot(of: key))
    else { return false }
    if entry.isOvertaken { return true }
    guard case .changed(_, let library) = entry.change else { return false }
    return !isInOrder(library: library, at: entry.place) || later.contains { $0.change.key == key }
  }

  /// Applies a change again to one query alone: other lists may have been read later.
  @inlinable mutating func reapply(_ entry: RecentChanges<Payload>.Entry, to query: Int32) {
    guard case .changed(let entity, let library) = entry.change else {
      if case .unverified = entry.change { markStale(query, since: entry.place) }
      apply(entry)
      return
    }
    switch write(entity, library: library, verification: entry.valueVerification, at: entry.place) {
    case .superseded: return
    case .known: patchIfListed(entity, in: query, at: entry.place)
    case .written, .replaced: break
    }
    guard composition.membership != .blind else { return }
    if library >= 0 {
      enter(entity, into: query, at: entry.place)
    } else {
      markUnverified(query, about: entity, since: nil)
    }
    admitIfListed(entity, library: library, verification: entry.valueVerification)
  }

  /// Notes that a change concerns a query that does not list the entity.
  @inlinable mutating func recordPosition(of change: RecentChanges<Payload>.Change, in query: Int32)
  {
    guard case .changed(let entity, _) = change, !lists(entity.key, inMembersOf: query) else {
      return
    }
    let match = schema.belongs(entity.payload, key: entity.key, in: queries[query].plan.predicate)
    recordPosition(of: entity, match, in: query)
  }

  /// Applies the changes again to a single entity.
  @inlinable mutating func reapplyChanges(
    since fetch: Fetch, to keys: Set<EntityKey>, readAt place: StreamPlace?
  ) {
    guard let changes = fetches.changes.since(commit: fetch.begun, notShownAt: place) else {
      for key in keys.sorted() {
        if let slot = entities.slot(of: key) { markUnverified(slot) }
      }
      return
    }
    for (index, entry) in changes.enumerated()
    where keys.contains(entry.change.key) && !isOutdated(entry, before: changes[(index + 1)...]) {
      switch entry.change {
      case .changed(let entity, let library):
        write(entity, library: library, verification: entry.valueVerification, at: entry.place)
      case .deleted, .unverified:
        apply(entry)
      }
    }
  }

  /// Returns whether a change may be visible in a query: others are skipped, so that a fetch does not count
  /// as a use of everything that changed meanwhile.
  @inlinable func concerns(_ change: RecentChanges<Payload>.Change, _ query: Int32) -> Bool {
    if let slot = entities.slot(of: change.key),
      listing(of: slot, in: query) != nil
    {
      return true
    }
    guard case .changed(let entity, let library) = change,
      library < 0 || library == queries[query].library
    else { return false }
    let plan = queries[query].plan
    return schema.belongs(entity.payload, key: entity.key, in: plan.predicate) != .notMember
  }
}
