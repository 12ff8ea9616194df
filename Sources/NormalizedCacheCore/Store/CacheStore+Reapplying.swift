public import CacheModel

/// What the cache learnt while a fetch was in flight, told again on top of its response.
extension CacheStore {
  /// Applies again, in order, what the cache learnt after the fetch began and the response was read.
  @inlinable mutating func reapplyChanges(
    since fetch: Fetch, to query: Int32, readAt place: StreamPlace?
  ) {
    if planted(.changesDuringFetchForgotten) { return }
    guard let changes = fetches.changes.since(commit: fetch.begun, notShownAt: place) else {
      markStale(query, since: nil)
      for slot in queries[query].members { doubt(slot) }
      return
    }
    current.isApplyingEvents = true
    defer { didApplyEvents() }
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
      if notedPlaces.isOn { notePlace(of: entry.change, in: query) }
      if isOutdated(entry, before: changes[(index + 1)...]) {
        isDoubtful = true
        continue
      }
      reapply(entry, to: query)
      // Of the two, the response may be the later, and what was missed may lie between them.
      let library = entry.change.library
      let isComparable = place != nil && entry.place?.stream == place?.stream
      if !isComparable, library < 0 || entry.verification < libraries[library].verification {
        isDoubtful = true
      }
    }
    if isDoubtful { markStale(query, since: nil) }
    guard queries[query].isInUse, let place, isBehind(place, fetch) else { return }
    // What happened between the place of reading and the place from which the cache has followed the
    // stream is in neither.
    markStale(
      query,
      since: StreamPlace(
        stream: place.stream, position: streams.followed(place.stream, asOf: fetch.cursors)))
    queries[query].awaitsServer = place.stream < fetch.cursors.count
  }

  /// Whether a change that is told again may be older than what has been forgotten of its entity
  /// since.
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
      if case .doubted = entry.change { markStale(query, since: entry.place) }
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
      doubt(query, about: entity, since: nil)
    }
    admitIfListed(entity, library: library, verification: entry.valueVerification)
  }

  /// Notes that a change was found to concern a query, which does not list the entity.
  @inlinable mutating func notePlace(of change: RecentChanges<Payload>.Change, in query: Int32) {
    guard case .changed(let entity, _) = change, !lists(entity.key, inMembersOf: query) else {
      return
    }
    let belonging = schema.belongs(
      entity.payload, key: entity.key, in: queries[query].plan.predicate)
    notePlace(of: entity, belonging, in: query)
  }

  /// The same for single entities.
  @inlinable mutating func reapplyChanges(
    since fetch: Fetch, to keys: Set<EntityKey>, readAt place: StreamPlace?
  ) {
    guard let changes = fetches.changes.since(commit: fetch.begun, notShownAt: place) else {
      for key in keys.sorted() {
        if let slot = entities.slot(of: key) { doubt(slot) }
      }
      return
    }
    for (index, entry) in changes.enumerated()
    where keys.contains(entry.change.key) && !isOutdated(entry, before: changes[(index + 1)...]) {
      switch entry.change {
      case .changed(let entity, let library):
        write(entity, library: library, verification: entry.valueVerification, at: entry.place)
      case .deleted, .doubted:
        apply(entry)
      }
    }
  }

  /// Whether a change may show in a query: what it does not list and what cannot enter it is left
  /// alone, so that a fetch does not look like a use of everything that changed meanwhile.
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
