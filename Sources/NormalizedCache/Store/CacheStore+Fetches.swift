public import CacheModel
import DequeModule
public import EvictionPolicies

/// A fetch in flight.
@usableFromInline struct Fetch {
  @usableFromInline var target: FetchTarget
  @usableFromInline var library: Int16
  /// The commit in which the fetch began.
  @usableFromInline var begun: UInt64
  /// The library's last verification when the fetch began.
  @usableFromInline var verification: UInt32
  /// Where each stream stood when the fetch began, by the store's index.
  @usableFromInline var cursors: [StreamPosition]
  /// Where the cache had read what it has, if the server was asked to repeat it only if it changed.
  @usableFromInline var condition: StreamPlace?

  @inlinable init(
    target: FetchTarget, library: Int16, begun: UInt64, verification: UInt32,
    cursors: [StreamPosition], condition: StreamPlace?
  ) {
    self.condition = condition
    self.target = target
    self.library = library
    self.begun = begun
    self.verification = verification
    self.cursors = cursors
  }
}

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
    return fetch
  }

  @inlinable mutating func beginFetch(
    of target: FetchTarget, library: Int16? = nil, condition: StreamPlace? = nil
  ) -> FetchID {
    let fetch = FetchID(number: nextNumber())
    var index = library ?? -1
    if case .query(let key) = target, library == nil { index = libraryIndex(of: key.library) }
    fetchOfTarget[target] = fetch
    send(fetch, for: target, library: index, condition: condition)
    return fetch
  }

  /// Puts a fetch in flight, as of now.
  @inlinable mutating func send(
    _ id: FetchID, for target: FetchTarget, library: Int16, condition: StreamPlace?
  ) {
    fetches[id] = Fetch(
      target: target, library: library, begun: commit,
      verification: libraries[Int(library)].verification, cursors: streams.map(\.cursor),
      condition: condition)
    recentChanges.isRecording = true
    let place = condition.map { eventPlace(of: $0) }
    actions.append(.fetch(id, FetchRequest(target: target, unlessChangedSince: place)))
  }

  /// Takes a fetch out of flight.
  ///
  /// - Parameter id: the fetch.
  /// - Returns: the fetch, and whether it is still the one that its target waits for: the query may
  ///   have been dropped or invalidated since, and asked for anew. `nil` for an unknown fetch.
  @inlinable mutating func endFetch(_ id: FetchID) -> (fetch: Fetch, isAwaited: Bool)? {
    guard let fetch = fetches.removeValue(forKey: id) else { return nil }
    guard fetchOfTarget[fetch.target] == id else { return (fetch, false) }
    fetchOfTarget[fetch.target] = nil
    return (fetch, true)
  }

  /// The fetch came to nothing; the query keeps what it has.
  ///
  /// An unknown fetch is ignored.
  ///
  /// - Parameters:
  ///   - id: the fetch.
  ///   - now: the instant.
  /// - Returns: what those get who waited for it: an error, or what has expired.
  @discardableResult
  @inlinable public mutating func failFetch(_ id: FetchID, at now: Instant) -> FetchEnding {
    beginCommit(at: now)
    defer { endCommit() }
    return endInVain(id)
  }

  @inlinable mutating func endInVain(_ id: FetchID) -> FetchEnding {
    guard let (fetch, isAwaited) = endFetch(id) else { return .failed }
    if fetches.isEmpty { recentChanges.stop() }
    let ending = ending(ofFailed: fetch.target)
    guard isAwaited, case .query(let key) = fetch.target, let query = queries.index(of: key)
    else { return ending }
    #if PLANTED_DEFECTS
      if plantedDefect == .failedFetchForgottenByQuery { return ending }
    #endif
    queries[query].fetch = nil
    if queries[query].isObserved {
      backOff(query: query)
    } else if !queries[query].hasResult {
      dropQuery(query, cause: queries[query].missCause)
    }
    return ending
  }

  /// The server answered.
  ///
  /// Values that the cache knows to be older than its own are not taken, and what changed after the
  /// response was read is applied again on top of it. O(rows). An unknown fetch is ignored.
  ///
  /// - Parameters:
  ///   - id: the fetch.
  ///   - response: the answer.
  ///   - now: the instant.
  /// - Returns: what those get who waited for it. "Not modified" is asked again in full where the
  ///   cache has meanwhile changed what it has.
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
    guard let (fetch, isAwaited) = endFetch(id) else { return .failed }
    if let place = response.place { noteBaseline(place, missed: place.position.sequence) }
    let place = streamPlace(of: response.place)
    let verification = verification(ofAnswerTo: fetch, readAt: place)

    let outdated = outdatedRows(of: response, fetch, readAt: place)
    // What happened between the place of reading and the baseline of the stream was never heard.
    let isUnheard = place.map { $0.position < streams[$0.stream].baseline } ?? false
    let entityVerification = isUnheard ? EntityTable<Payload>.doubted : verification

    switch fetch.target {
    case .entity(let key):
      completeEntityFetch(
        of: key, fetch, with: response, at: place, entityVerification, leavingOut: outdated)
    case .query(let key):
      if isAwaited, let query = queries.index(of: key) ?? insertIfKept(key) {
        if confirmed != nil {
          confirm(query, fetch, readAt: place, verification: verification)
        } else {
          install(
            response, at: place, in: query, fetch, verification: verification,
            ofEntities: entityVerification, leavingOut: outdated)
        }
        reapplyChanges(since: fetch, to: query, readAt: place)
        if queries[query].isInUse { dropIfUnwanted(query) }
      } else {
        for entity in response.entities where !outdated.contains(entity.key) {
          write(entity, library: fetch.library, verification: entityVerification, at: place)
        }
        reapplyChanges(since: fetch, to: Set(response.entities.map(\.key)), readAt: place)
      }
    }
    if fetches.isEmpty { recentChanges.stop() }
    return .answered
  }

  @inlinable mutating func completeEntityFetch(
    of key: EntityKey, _ fetch: Fetch, with response: FetchResponse<Payload>,
    at place: StreamPlace?, _ verification: UInt32, leavingOut outdated: Set<EntityKey>
  ) {
    if let entity = response.entities.first {
      if !outdated.contains(entity.key) {
        write(entity, library: fetch.library, verification: verification, at: place)
      }
    } else if let slot = entities.slot(of: key), entities.isResident(slot) {
      // The server does not have it: what the cache has is not the truth, unless it is newer.
      if watchesShown { willChange(slot, to: nil) }
      removeResident(slot, cause: .invalidated)
      markHoldersStale(of: slot, since: place)
      entities.freeIfUnused(slot)
    }
    reapplyChanges(since: fetch, to: [key], readAt: place)
  }

  @inlinable mutating func install(
    _ response: FetchResponse<Payload>, at place: StreamPlace?, in query: Int32, _ fetch: Fetch,
    verification: UInt32, ofEntities entityVerification: UInt32,
    leavingOut outdated: Set<EntityKey>
  ) {
    let record = queries[query]
    queries[query].fetch = nil
    guard takesResponse(query, fetch, readAt: place) else { return }
    if watchesShown { rememberShown(query) }
    let members = response.entities.map { entities.obtainSlot(of: $0.key) }
    order.reserve(slots: entities.slotCount)
    queries[query].hasResult = true
    libraries[Int(record.library)].holdsData = true
    if !record.hasResult || members != record.members {
      replaceMembers(of: query, with: members)
      touchRows(of: query)
    }
    queries[query].hasMore = response.hasMore
    queries[query].isSorted = isSorted(response.entities, by: record.plan.predicate)
    // Where pending rows stand hangs on these as well.
    if watchesShown { tellObservers(of: query) }
    noteRead(query, before: record, fetch, readAt: place, verification: verification)
    var known: [EntityKey] = []
    // The query lists every slot, so none is given away before its turn.
    for (entity, slot) in zip(response.entities, members)
    where outdated.isEmpty || !outdated.contains(entity.key) {
      let result = write(
        entity, in: slot, library: record.library, verification: entityVerification, at: place,
        listedBy: query)
      if isSuperseded(result) { known.append(entity.key) }
    }
    // Once all rows have values, since a row's place is found among the others.
    for key in known { correct(query, about: key) }
    queries[query].isAsRead = place != nil && known.isEmpty && outdated.isEmpty
    statistics.entityAccesses += response.entities.count
  }

  /// The number of the library's last verification that a response has seen.
  @inlinable func verification(ofAnswerTo fetch: Fetch, readAt place: StreamPlace?) -> UInt32 {
    let library = libraries[Int(fetch.library)]
    let isShown = library.verifiedAt.map { place?.shows($0) ?? false } ?? false
    if let place, !isShown, isBehind(place, fetch) {
      // Of a server that lags: it is not known how many it has not seen.
      return 0
    }
    return covers(place, fetch: fetch) ? library.verification : fetch.verification
  }

  /// The rows of a response that may be older than what the cache has known of them and forgotten: of
  /// one that was read before what the cache had heard when it asked, by a server that lags.
  @inlinable func outdatedRows(
    of response: FetchResponse<Payload>, _ fetch: Fetch, readAt place: StreamPlace?
  ) -> Set<EntityKey> {
    guard let place, isBehind(place, fetch) else { return [] }
    return Set(response.entities.filter { mayBeOutdated($0) }.map(\.key))
  }

  /// A new query for an answer that nothing waits for but callers; `nil` for one that is not kept.
  @inlinable mutating func insertIfKept(_ key: QueryKey) -> Int32? {
    let plan = schema.plan(for: key)
    guard plan.isCacheable, composition.maximumQueries != 0 else { return nil }
    return insertQuery(key, plan: plan)
  }

  /// Whether a response may say what a query lists: an older one never replaces a newer list, nor one
  /// that later events have changed.
  @inlinable mutating func takesResponse(
    _ query: Int32, _ fetch: Fetch, readAt place: StreamPlace?
  ) -> Bool {
    guard queries[query].hasResult, let place, isBehind(place, fetch) else { return true }
    queries[query].awaitsServer = isMarkedStale(query)
    return false
  }

  /// Notes when and where a query's list was read, and what that settles.
  ///
  /// - Parameters:
  ///   - query: the query, which has its list.
  ///   - record: the query as it was before the response.
  ///   - fetch: the fetch that was answered.
  ///   - place: where the response was read.
  ///   - verification: the number of the library's last verification that the response has seen.
  @inlinable mutating func noteRead(
    _ query: Int32, before record: QueryRecord<Schema.Predicate>, _ fetch: Fetch,
    readAt place: StreamPlace?, verification: UInt32
  ) {
    queries[query].place = place
    queries[query].verification = verification
    queries[query].fetchedAt = now.nanoseconds
    queries.changes.mark(query)
    queries[query].failures = 0
    scheduleExpiry(of: query)
    settleStaleness(of: query, before: record, fetch, readAt: place)
    updateRetention(of: query)
  }

  /// Whether the rows stand in the schema's order.
  ///
  /// The server may have one of its own, or repeat itself; then the cache cannot tell where a row
  /// belongs. O(rows).
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

  /// Ends the query's staleness if the response shows what caused it; asks again if it does not.
  @inlinable mutating func settleStaleness(
    of query: Int32, before record: QueryRecord<Schema.Predicate>, _ fetch: Fetch,
    readAt place: StreamPlace?
  ) {
    let cameAfter = record.unplacedInvalidations != record.unplacedInvalidationsAtFetch
    let isShown: Bool
    if let since = record.staleSince, let place, place.stream == since.stream {
      isShown = place.shows(since)
    } else if record.staleSince != nil {
      // Two streams say nothing of each other; only a fetch begun afterwards is sure to show it.
      isShown = record.staleSinceCommit <= fetch.begun
    } else {
      isShown = true
    }
    if !record.isMarkedStale || isShown && !cameAfter {
      queries[query].isMarkedStale = false
      queries[query].staleSince = nil
    }
    if isMarkedStale(query) { wantingFetch.append(query) }
  }

  /// Brings a new list up to date where the cache knows a row better than the response did.
  @inlinable mutating func correct(
    _ query: Int32, about key: EntityKey
  ) {
    guard composition.membership != .blind, let slot = entities.slot(of: key) else { return }
    if entities.isTombstone[slot] {
      guard listings.find(query: query, from: entities.firstListing[slot]) != nil else { return }
      remove(slot, from: query, since: nil)
    } else if let payload = entities.payload(of: slot) {
      patch(query, holding: slot, payload: payload, former: nil, since: nil)
    }
  }

  /// Whether a response was read no earlier than the library's last verification began.
  @inlinable func covers(_ place: StreamPlace?, fetch: Fetch) -> Bool {
    covers(place, verification: fetch.verification, library: fetch.library)
  }

  /// The same for what was asked for at a verification.
  @inlinable func covers(_ place: StreamPlace?, verification: UInt32, library: Int16) -> Bool {
    let library = libraries[Int(library)]
    guard verification < library.verification else { return true }
    guard verification >= library.unplacedVerification, let verified = library.verifiedAt
    else { return false }
    return place?.shows(verified) ?? false
  }

  /// Applies again, in order, what the cache learnt after the fetch began and the response was read.
  @inlinable mutating func reapplyChanges(
    since fetch: Fetch, to query: Int32, readAt place: StreamPlace?
  ) {
    #if PLANTED_DEFECTS
      if plantedDefect == .changesDuringFetchForgotten { return }
    #endif
    guard let changes = recentChanges.since(commit: fetch.begun, notShownAt: place) else {
      markStale(query, since: nil)
      return
    }
    isApplyingEvents = true
    defer { isApplyingEvents = false }
    var isDoubtful = false
    // What the response brought, or a change told again, follows every later change of its own, also
    // when it has left the list meanwhile.
    var told: Set<EntityKey> = []
    if !changes.isEmpty {
      for slot in queries[query].members { told.insert(entities.key(of: slot)) }
    }
    for (index, entry) in changes.enumerated()
    where concerns(entry.change, query) || told.contains(entry.change.key) {
      told.insert(entry.change.key)
      if isOutdated(entry, before: changes[(index + 1)...]) {
        isDoubtful = true
        continue
      }
      reapply(entry, to: query)
      // Of the two, the response may be the later, and what was missed may lie between them.
      let library = entry.change.library
      let isComparable = place != nil && entry.place?.stream == place?.stream
      if !isComparable, library < 0 || entry.verification < libraries[Int(library)].verification {
        isDoubtful = true
      }
    }
    if isDoubtful { markStale(query, since: nil) }
    guard queries[query].isInUse, let place, isBehind(place, fetch) else { return }
    // What happened between the place of reading and the place from which the cache has followed the
    // stream is in neither.
    markStale(
      query,
      since: StreamPlace(stream: place.stream, position: followed(place.stream, before: fetch)))
    queries[query].awaitsServer = place.stream < fetch.cursors.count
  }

  /// Whether a response was read before what the cache had heard when it asked.
  @inlinable func isBehind(_ place: StreamPlace, _ fetch: Fetch) -> Bool {
    place.position < followed(place.stream, before: fetch)
  }

  /// How far a stream had been followed when a fetch began; where it was not yet, its baseline.
  @inlinable func followed(_ stream: Int, before fetch: Fetch) -> StreamPosition {
    stream < fetch.cursors.count ? fetch.cursors[stream] : streams[stream].baseline
  }

  /// Whether a change that is told again may be older than what has been forgotten of its entity
  /// since.
  @inlinable func isOutdated(
    _ entry: RecentChanges<Payload>.Entry, before later: ArraySlice<RecentChanges<Payload>.Entry>
  ) -> Bool {
    guard case .changed(let entity, let library) = entry.change, mayBeOutdated(entity) else {
      return false
    }
    return !isInOrder(library: library, at: entry.place)
      || later.contains { $0.change.key == entity.key }
  }

  /// Applies a change again to one query alone: other lists may have been read later.
  @inlinable mutating func reapply(_ entry: RecentChanges<Payload>.Entry, to query: Int32) {
    guard case .changed(let entity, let library) = entry.change else {
      if case .doubted = entry.change { markStale(query, since: entry.place) }
      apply(entry)
      return
    }
    switch write(entity, library: library, verification: entry.verification, at: entry.place) {
    case .superseded: return
    case .known: patchIfListed(entity, in: query, at: entry.place)
    case .written: break
    }
    guard composition.membership != .blind else { return }
    if library >= 0 {
      enter(entity, into: query, at: entry.place)
    } else {
      doubt(query, about: entity, since: nil)
    }
    admitIfListed(entity, library: library, verification: entry.verification)
  }

  /// The same for single entities.
  @inlinable mutating func reapplyChanges(
    since fetch: Fetch, to keys: Set<EntityKey>, readAt place: StreamPlace?
  ) {
    let changes = recentChanges.since(commit: fetch.begun, notShownAt: place) ?? []
    for (index, entry) in changes.enumerated()
    where keys.contains(entry.change.key) && !isOutdated(entry, before: changes[(index + 1)...]) {
      switch entry.change {
      case .changed(let entity, let library):
        write(entity, library: library, verification: entry.verification, at: entry.place)
      case .deleted, .doubted:
        apply(entry)
      }
    }
  }

  /// Whether a change may show in a query: what it does not list and what cannot enter it is left
  /// alone, so that a fetch does not look like a use of everything that changed meanwhile.
  @inlinable func concerns(_ change: RecentChanges<Payload>.Change, _ query: Int32) -> Bool {
    if let slot = entities.slot(of: change.key),
      listings.find(query: query, from: entities.firstListing[slot]) != nil
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
