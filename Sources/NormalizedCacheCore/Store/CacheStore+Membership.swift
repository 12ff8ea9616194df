public import CacheModel
public import EvictionPolicies

/// Keeps lists consistent with their members: entering, leaving and moving, within the limits of what a cache
/// can know.
///
/// A list with a limit is a window on a longer one. Rows that leave the window are known; rows that would
/// enter it from outside are not, and then the query is marked stale.
extension CacheStore {
  /// Corrects the lists that contain an entity whose value changed.
  @inlinable mutating func patchHolders(
    of slot: Slot, payload: Payload, former: Payload?, since place: StreamPlace?,
    but skipped: Int32?
  ) {
    guard membership != .blind else { return }
    // This includes lists read later: they list a version that is not newer than this one.
    let first = entities[slot].firstListing
    guard first >= 0 else { return }
    if listings[first].next < 0 {
      let query = listings[first].query
      guard query != skipped else { return }
      patch(query, holding: slot, payload: payload, former: former, since: place)
      return
    }
    for query in holders(of: slot) where query != skipped {
      patch(query, holding: slot, payload: payload, former: former, since: place)
    }
  }

  /// Corrects the lists that contain an entity whose value arrived before its event.
  ///
  /// A list whose answer was read at the event's position or later already includes it.
  @inlinable mutating func patchHolders(
    of slot: Slot, payload: Payload, readBefore place: StreamPlace?
  ) {
    guard membership != .blind else { return }
    for query in holders(of: slot) {
      let isShown = isNewer(queries[query].place, than: place)
      if isShown, !planted(.containedEventTakenForNews) { continue }
      patch(query, holding: slot, payload: payload, former: nil, since: place)
    }
  }

  /// Returns whether no list of an entity needs a correction for its newer value.
  ///
  /// - Returns: whether each of them already lists it at its position.
  @inlinable func holdersKeepPlace(
    of slot: Slot, _ former: Payload, _ payload: Payload, but skipped: Int32?
  ) -> Bool {
    guard membership != .blind else { return true }
    let key = entities.key(of: slot)
    var listing = entities[slot].firstListing
    while listing >= 0 {
      let query = listings[listing].query
      if query != skipped, !keepsPlace(key, former, payload, in: queries[query].plan.predicate) {
        return false
      }
      listing = listings[listing].next
    }
    return true
  }

  /// Returns whether an entity belongs in a list at an unchanged position.
  @inlinable @inline(__always) func keepsPlace(
    _ key: EntityKey, _ former: Payload, _ payload: Payload, in predicate: Schema.Predicate
  ) -> Bool {
    schema.belongs(payload, key: key, in: predicate) == .member
      && !schema.precedes(former, key: key, payload, key: key, in: predicate)
      && !schema.precedes(payload, key: key, former, key: key, in: predicate)
  }

  /// Corrects one list, if it contains the entity.
  @inlinable mutating func patchIfListed(
    _ entity: VersionedEntity<Payload>, in query: Int32, at place: StreamPlace?
  ) {
    guard membership != .blind, let slot = entities.slot(of: entity.key),
      listing(of: slot, in: query) != nil
    else { return }
    patch(query, holding: slot, payload: entity.payload, former: nil, since: place)
    entities.freeIfUnused(slot)
  }

  /// Returns a query's listing of an entity; `nil` if it does not list it.
  ///
  /// Expected O(1).
  @inlinable func listing(of slot: Slot, in query: Int32) -> Int32? {
    listings.find(query: query, listing: slot, from: entities[slot].firstListing)
  }

  /// The queries that list an entity; a copy, since patching changes the chain.
  @inlinable func holders(of slot: Slot) -> [Int32] {
    var holders: [Int32] = []
    var listing = entities[slot].firstListing
    while listing >= 0 {
      holders.append(listings[listing].query)
      listing = listings[listing].next
    }
    return holders
  }

  @inlinable mutating func markHoldersStale(of slot: Slot, since place: StreamPlace?) {
    for query in holders(of: slot) { markStale(query, since: place) }
  }

  @inlinable mutating func patch(
    _ query: Int32, holding slot: Slot, payload: Payload, former: Payload?,
    since place: StreamPlace?
  ) {
    let key = entities.key(of: slot)
    let predicate = queries[query].plan.predicate
    if let former, keepsPlace(key, former, payload, in: predicate) { return }
    let match = schema.belongs(payload, key: key, in: predicate)
    let version = entities[slot].version
    defer {
      if recordedOrders.isOn {
        recordPosition(of: key, version, payload, match, in: query, isCorrected: true)
      }
    }
    guard membership == .patch, match != .unknown else {
      markStale(query, since: place)
      return
    }
    if planted(.membershipBlindOnMove), match == .notMember { return }
    guard match == .member else {
      remove(slot, from: query, since: place)
      return
    }
    guard queries[query].isSorted else {
      markStale(query, since: place)
      return
    }
    if isInOrder(slot, payload: payload, in: query) { return }
    move(slot, payload: payload, in: query, since: place)
  }

  /// Adds a changed entity to lists where it now belongs.
  @inlinable mutating func enterLists(
    _ entity: VersionedEntity<Payload>, in slot: Slot, library: Int16, at place: StreamPlace?
  ) {
    guard library >= 0 else {
      // The event names no library: it may concern any, so lists are not changed but become unverified.
      markListsUnverified(about: entity, library: library, since: nil)
      return
    }
    guard membership != .blind else { return }
    if planted(.librariesMixed), library > 0 {
      enterLists(entity, in: slot, library: library - 1, at: place)
    }
    // Collected first, since lists change while others are entered.
    var entered: [Int32] = []
    noteLists(toEnter: &entered, entity.payload, entity.key, in: slot, library: library)
    for query in entered { enter(entity, into: query, at: place) }
  }

  /// Adds an entity whose value is in the table: most changes are of entities that every list already
  /// contains, and then the value is only read.
  @inlinable mutating func enterLists(
    residentIn slot: Slot, library: Int16, at place: StreamPlace?
  ) {
    if planted(.librariesMixed), library > 0 {
      enterLists(residentIn: slot, library: library - 1, at: place)
    }
    if library >= 0 {
      guard membership != .blind else { return }
      var entered: [Int32] = []
      let key = entities.key(of: slot)
      entities.lendPayload(of: slot) { payload in
        noteLists(toEnter: &entered, payload, key, in: slot, library: library)
      }
      if entered.isEmpty { return }
    }
    guard let payload = entities.payload(of: slot) else { return }
    let entity = VersionedEntity(
      key: entities.key(of: slot), version: entities[slot].version, payload: payload)
    enterLists(entity, in: slot, library: library, at: place)
  }

  @inlinable @inline(__always) func noteLists(
    toEnter entered: inout [Int32], _ payload: borrowing InPlace<Payload>, _ key: EntityKey,
    in slot: Slot, library: Int16
  ) {
    noteLists(toEnter: &entered, payload.value, key, in: slot, library: library)
  }

  /// Collects the queries of a value's scope that do not list the entity.
  @inlinable @inline(__always) func noteLists(
    toEnter entered: inout [Int32], _ payload: Payload, _ key: EntityKey, in slot: Slot,
    library: Int16
  ) {
    let first = entities[slot].firstListing
    let holder = first >= 0 ? listings[first].query : -1
    schema.forEachScope(of: payload, key: key) { scope in
      // The usual case: the only list of the scope contains the entity, and is already in the processor's
      // cache.
      if holder >= 0, queries.isOnly(holder, inScope: scope, library: library) { return }
      queries.forEach(inScope: scope, library: library) { query in
        if listing(of: slot, in: query) == nil { entered.append(query) }
      }
    }
  }

  /// Marks stale the lists that an entity may enter, of one library, or of any if it is −1.
  @inlinable mutating func markListsUnverified(
    about entity: VersionedEntity<Payload>, library: Int16, since place: StreamPlace?
  ) {
    guard membership != .blind else { return }
    schema.forEachScope(of: entity.payload, key: entity.key) { scope in
      for index in libraries.indices where library < 0 || index == Int(library) {
        for query in queries.inScope(scope, library: Int16(index)) {
          markUnverified(query, about: entity, since: place)
        }
      }
    }
  }

  @inlinable mutating func enter(
    _ entity: VersionedEntity<Payload>, into query: Int32, at place: StreamPlace?
  ) {
    // Making space for an earlier one may have evicted it.
    guard queries[query].isInUse, queries[query].hasResult,
      !isNewer(queries[query].place, than: place)
    else { return }
    // Checked before the tables: a name matches few of all searches.
    let match = schema.belongs(entity.payload, key: entity.key, in: queries[query].plan.predicate)
    if match == .notMember { return }
    if let slot = entities.slot(of: entity.key),
      listing(of: slot, in: query) != nil
    {
      return
    }
    defer {
      if recordedOrders.isOn { recordPosition(of: entity, match, in: query, isCorrected: true) }
    }
    guard membership == .patch, match == .member, hasPlace(for: entity.key, in: query) else {
      markStale(query, since: place)
      return
    }
    let slot = obtainSlot(of: entity.key)
    if entities[slot].version == .none {
      entities[slot].version = entity.version
      entities.changes.mark(slot)
    }
    insert(slot, payload: entity.payload, into: query, since: place)
    entities.freeIfUnused(slot)
  }

  @inlinable mutating func markUnverified(
    _ query: Int32, about entity: VersionedEntity<Payload>, since place: StreamPlace?
  ) {
    if isNewer(queries[query].place, than: place) { return }
    let slot = entities.slot(of: entity.key)
    let isListed = slot.map { listing(of: $0, in: query) != nil } ?? false
    let belongs = schema.belongs(entity.payload, key: entity.key, in: queries[query].plan.predicate)
    if isListed || belongs == .notMember { return }
    if recordedOrders.isOn { recordPosition(of: entity, belongs, in: query) }
    markStale(query, since: place)
  }

  /// Removes a deleted entity from its lists.
  @inlinable mutating func leaveLists(_ slot: Slot, at place: StreamPlace?) {
    for query in holders(of: slot) {
      touchRows(of: query)
      switch membership {
      case .patch: remove(slot, from: query, since: place)
      case .markStale: markStale(query, since: place)
      case .blind: break
      }
    }
  }

  /// Returns whether a list was read later in the same stream than a change.
  @inlinable func isNewer(_ list: StreamPlace?, than change: StreamPlace?) -> Bool {
    guard let list, let change else { return false }
    return list.shows(change)
  }
}
