import CacheModel
import NormalizedCache

/// Checks of reads.
extension FaultRun {
  /// Checks that a hit is complete, in order, valid and not expired.
  mutating func checkHit(_ key: QueryKey, isExpired: Bool) {
    let rows = store.rows(of: key)
    if !isSound(rows, for: NoteQuery(key), isExact: knowsMembers && !isOverlaid) {
      diverge(
        .hitIsComplete, about: Oracle.name(key), expected: "every row, in order",
        found: Oracle.name(rows))
    }
    let entry = answers.entry(key)
    if entry.asked <= entry.invalidated {
      diverge(
        .hitIsValid, about: Oracle.name(key),
        expected: "a fetch begun after call \(entry.invalidated), which invalidated it",
        found: "a hit whose fetch began in call \(entry.asked)")
    }
    if let lifetime = oracle.servedFor(key.method, isExpired: isExpired) {
      let age = entry.answered?.duration(to: now) ?? .seconds(Int64.max)
      if age >= lifetime {
        diverge(
          .hitIsInTime, about: Oracle.name(key), expected: "an answer younger than \(lifetime)",
          found: "a hit of age \(age)")
      }
    }
  }

  private var knowsMembers: Bool { composition.membership != .blind }

  /// Checks that a read after an invalidation does not join an earlier fetch.
  mutating func checkJoined(_ id: FetchID?, since invalidated: Int, about subject: String) {
    guard let fetch = fetches.first(where: { $0.id == id }) else {
      diverge(.hitIsValid, about: subject, expected: "a fetch in flight", found: "none")
      return
    }
    if fetch.begun <= invalidated {
      diverge(
        .hitIsValid, about: subject,
        expected: "a fetch begun after call \(invalidated), which invalidated it",
        found: "joined one of call \(fetch.begun)")
    }
  }

  // MARK: Single entities

  /// Notes the entities that an invalidation marks stale; one by method affects none.
  mutating func noteInvalidated(_ tag: InvalidationTag) {
    guard tag.method == nil else { return }
    var keys: [EntityKey] = []
    store.forEachResident { key, _ in
      guard NoteWorld.library(of: key) == tag.library else { return }
      if tag.resourceType == nil || tag.resourceType == key.type { keys.append(key) }
    }
    // An entity that is removed with its last list may be added again in the same call.
    if oracle.dropsUnlisted { keys = [] }
    entities.invalidate(keys, of: tag.library, at: calls)
  }

  /// Checks that invalidated entities are not fresh before the next fetch.
  mutating func checkInvalidated() {
    // A deleted entity that exists again may have received both events in one call.
    let gone = entities.listed.filter { key in
      store.confirmedEntity(key) == nil || world.servers.contains { $0.hasDeleted(key) }
    }
    entities.forget { gone.contains($0) }
    for key in entities.listed where store.isFresh(key, at: now) {
      let note = store.confirmedEntity(key)?.payload
      diverge(
        .entityIsValid, about: Oracle.name(key),
        expected: "stale, since no fetch that began after its invalidation brought it",
        found: "fresh \(Oracle.name(note))")
    }
  }

  /// Returns whether all rows exist, and match the query in order if the cache can evaluate that.
  private func isSound(
    _ rows: [VersionedEntity<Note>?]?, for query: NoteQuery, isExact: Bool
  ) -> Bool {
    guard let rows else { return false }
    let rules = world.rules
    let values = rows.compactMap { $0 }
    guard values.count == rows.count, values.count <= rules.limit(of: query) ?? .max,
      values.allSatisfy({ !$0.payload.isSummary || rules.showsSummaries(query) })
    else { return false }
    guard isExact, query != .opaque, query != .live else { return true }
    return values.allSatisfy { rules.lists($0.payload, at: $0.key, in: query) == true }
      && zip(values, values.dropFirst()).allSatisfy {
        rules.precedes($0.payload, key: $0.key, $1.payload, key: $1.key, in: query)
      }
  }
}

/// Checks of stale marks and immediate retries.
extension FaultRun {
  // MARK: Events that a list contains

  /// Returns the fresh lists whose answers were read at an event's position or later in its stream, if the
  /// event tells its changes: a notice only marks entities.
  ///
  /// There are none if the change, or an earlier one of the same entity, was received without a position: a
  /// list may have applied it, without knowing that its answer is newer, and the event then moves it beyond
  /// the answer's state.
  func listsShowing(_ envelope: EventEnvelope<Note>) -> [(key: QueryKey, place: EventPlace)] {
    let rule = envelope.origin.flatMap { composition.batchRules[$0] }
    switch envelope.event {
    case .changed, .batchChanged, .deleted:
      guard rule?.staleMethods.isEmpty != false else { return [] }
    case .bulkNotice, .partlyDecoded, .infrastructure: return []
    }
    // A new epoch has effects beyond its first event, and one that closes a gap applies buffered ones too.
    guard let event = envelope.place, toldAhead.isDisjoint(with: envelope.event.keys),
      let cursor = store.cursor(of: event.stream), cursor.epoch == event.position.epoch,
      cursor.sequence + 1 == event.position.sequence
    else { return [] }
    return world.rules.queries.compactMap { key in
      guard let place = store.placeOfCurrentList(of: key), place.stream == event.stream,
        place.position >= event.position
      else { return nil }
      return (key, place)
    }
  }

  /// Checks that none of them is stale, unless more than the event was applied.
  mutating func checkSpared(
    _ lists: [(key: QueryKey, place: EventPlace)], by event: EventPlace?
  ) {
    for (key, place) in lists {
      guard let cursor = store.cursor(of: place.stream), cursor == event?.position,
        store.members(of: key) != nil, store.placeOfCurrentList(of: key) == nil
      else { continue }
      diverge(
        .shownIsNoNews, about: Oracle.name(key),
        expected: "a list that its answer of \(place.position) keeps up to date",
        found: "stale by the event of \(cursor)")
    }
  }

  // MARK: Gaps

  /// Returns whether a heartbeat would repeat the position of a failed reconcile.
  func isGapNamed(byHeartbeatOf server: Int) -> Bool {
    let place = world.servers[server].place
    guard pausedReconciles.contains(server), let cursor = store.cursor(of: place.stream) else {
      return false
    }
    return place.position.epoch == cursor.epoch && place.position.sequence > cursor.sequence
  }

  /// Checks that a failed reconcile has been retried.
  mutating func checkAskedAgain(_ server: Int) {
    guard pausedReconciles.contains(server) else { return }
    let stream = world.servers[server].stream
    diverge(
      .gapIsAskedFor, about: "\(stream)", expected: "a reconcile",
      found: "none since the last failed")
  }

  mutating func setOnline(_ isOnline: Bool) {
    let comesBack = isOnline && !self.isOnline
    self.isOnline = isOnline
    store.setOnline(isOnline, at: now)
    didCall()
    if comesBack { for server in pausedReconciles { checkAskedAgain(server) } }
  }
}

/// Checks of "not modified".
extension FaultRun {
  /// Returns the rows that an answer of "not modified" will confirm; `nil` for any other answer.
  func rowsToConfirm(
    by response: FetchResponse<Note>, _ target: FetchTarget
  ) -> [ConfirmedRow]? {
    guard response.isNotModified, case .query(let key) = target else { return nil }
    return confirmedRows(of: key)
  }

  /// Checks that confirmed rows equal the server's answer at their position.
  mutating func checkConfirmed(_ key: QueryKey, _ rows: [ConfirmedRow], _ request: FetchRequest) {
    guard let place = request.unlessChangedSince, let read = served.rows(of: key, at: place) else {
      return
    }
    let meant = read.map { ConfirmedRow(key: $0.key, note: $0.payload.content) }
    guard rows != meant else { return }
    diverge(
      .confirmsWhatWasRead, about: Oracle.name(key),
      expected: "[\(meant.map(\.name).joined(separator: ", "))]",
      found: "[\(rows.map(\.name).joined(separator: ", "))]")
  }
}

/// Checks of summaries.
extension FaultRun {
  /// Returns the notes that an answer has as summaries, and the cache in full, in the same version.
  func wholes(inVersionsOf response: FetchResponse<Note>) -> [VersionedEntity<Note>] {
    response.entities.filter(\.payload.isSummary).compactMap { row in
      guard let held = store.confirmedEntity(row.key), held.version == row.version,
        !held.payload.isSummary
      else { return nil }
      return held
    }
  }

  /// Checks that the cache still has each of them in full, unless evicted.
  mutating func checkWholes(_ wholes: [VersionedEntity<Note>]) {
    guard store.statistics.evictions == evictionsBefore, !oracle.dropsUnlisted else { return }
    for whole in wholes {
      guard let held = store.confirmedEntity(whole.key), held.version == whole.version,
        held.payload.isSummary
      else { continue }
      diverge(
        .wholeStays, about: Oracle.name(whole.key), expected: Oracle.name(whole),
        found: Oracle.name(held))
    }
  }
}

/// Checks of deletions after late events.
extension FaultRun {
  /// Checks that entities with a deletion known before the step do not exist in a deleted version, fresh or
  /// not.
  mutating func checkDeletions() {
    for (key, deletion) in deletions {
      guard let entity = store.confirmedEntity(key), entity.version <= deletion else { continue }
      diverge(
        .staysDeleted, about: Oracle.name(key),
        expected: "none, or a version after \(deletion.clock)", found: Oracle.name(entity))
    }
    deletions = store.deletions
  }
}
