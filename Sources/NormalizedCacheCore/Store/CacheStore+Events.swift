public import CacheModel
public import EvictionPolicies

/// The stages of a change, whatever its source: *record → apply → write → accept*.
///
/// - *Record*: it is noted while fetches are in flight, so that an older answer can be brought up to date,
///   and its verification number is determined.
/// - *Apply*: it changes the tables: the entity, and every list that it leaves, enters or moves in.
/// - *Write*: one value goes into one slot, within the limits. Answers, whose lists are known, begin here.
/// - *Accept*: the version decides whether a value is accepted.
extension CacheStore {
  /// Records each item of an event whose turn it is, and moves the items out of it.
  @inlinable mutating func record(
    _ envelope: inout EventEnvelope<Payload>, library: Int16, at place: StreamPlace?
  ) {
    if let origin = envelope.origin, let rule = composition.batchRules[origin] {
      envelope.origin = nil
      record(&envelope, under: rule, library: library, at: place)
      return
    }
    statistics.eventsApplied += 1
    if let token = envelope.mutation, !optimistic.isEmpty {
      didCarryOut(token, keys: envelope.keys)
    }
    current.isApplyingEvents = true
    defer { didApplyEvents() }
    switch envelope.takeEvent() {
    case .changed(var entity):
      recordChange(of: &entity, library: library, at: place)
      replaced.keep(consume entity)
    case .batchChanged(let items):
      let items = planted(.itemDroppedFromBatch) ? items.dropLast() : items
      recordChanges(of: items, library: library, at: place)
    case .deleted(let keys, let version):
      for key in keys {
        record(.deleted(key, version: version, library: library), at: place)
      }
    case .bulkNotice(let tag, _, let token):
      noteBulk(tag, token: token, at: place)
    case .partlyDecoded(let items, let undecodable):
      recordChanges(of: items, library: library, at: place)
      var marked: Set<ResourceType> = []
      for item in undecodable {
        noteUndecodable(item, library: library, at: place, listsMarkedOf: &marked)
      }
    case .infrastructure:
      break
    }
  }

  @inlinable mutating func didApplyEvents() {
    current.isApplyingEvents = false
    entities.releaseKept()
  }

  /// Records a batch whose origin has a rule of its own.
  ///
  /// O(queries) more if the rule marks methods stale.
  @inlinable mutating func record(
    _ envelope: inout EventEnvelope<Payload>, under rule: BatchRule, library: Int16,
    at place: StreamPlace?
  ) {
    membership = rule.membership ?? composition.membership
    evictable.eventAdmission = rule.admission ?? composition.eventAdmission
    record(&envelope, library: library, at: place)
    membership = composition.membership
    evictable.eventAdmission = composition.eventAdmission
    for method in rule.staleMethods {
      for index in libraries.indices where library < 0 || index == Int(library) {
        let tag = InvalidationTag(library: libraries[Int16(index)].id, method: method)
        markStale(matching: tag, since: place)
      }
    }
  }

  /// Marks stale what an item with a missing value may affect.
  ///
  /// If the entity is known: that entity and the lists that contain it. Lists that it may have entered stay
  /// as they are, since an undecodable value could not be shown in them either. If only its type is known:
  /// every list of that type; also if an answer was ahead of its events, since this event would have updated
  /// other lists. The lists of a type are marked once for each event.
  @inlinable mutating func noteUndecodable(
    _ item: UndecodableItem, library: Int16, at place: StreamPlace?,
    listsMarkedOf marked: inout Set<ResourceType>
  ) {
    if planted(.undecodableItemIgnored) { return }
    if let id = item.id, item.mayEnterLists {
      libraries.noteUndecodableItem(in: library)
      record(.unverified(EntityKey(type: item.type, id: id), library: library), at: place)
      if membership != .blind, marked.insert(item.type).inserted {
        markListsStale(of: item.type, library: library, since: place)
      }
      return
    }
    statistics.itemsUndecodable += 1
    if let id = item.id, !isAheadOfEvents(EntityKey(type: item.type, id: id)) {
      libraries.noteUndecodableItem(in: library)
      record(.unverified(EntityKey(type: item.type, id: id), library: library), at: place)
      return
    }
    for index in libraries.indices where library < 0 || index == Int(library) {
      let tag = InvalidationTag(library: libraries[Int16(index)].id, resourceType: item.type)
      markStale(matching: tag, since: place)
    }
  }

  /// Marks stale every query that may list entities of a type and was not read since; the entities are
  /// unchanged.
  ///
  /// O(queries).
  @inlinable mutating func markListsStale(
    of type: ResourceType, library: Int16, since place: StreamPlace?
  ) {
    for index in libraries.indices where library < 0 || index == Int(library) {
      let own = Int16(index)
      let tag = InvalidationTag(library: libraries[own].id, resourceType: type)
      for query in queries.indices
      where matches(queries[query], tag, library: own)
        && !isNewer(queries[query].place, than: place)
      {
        markStale(query, since: place)
      }
      disownFetches(library: own, ofEntities: false)
    }
  }

  @inlinable func isAheadOfEvents(_ key: EntityKey) -> Bool {
    entities.slot(of: key).map { entities[$0].isAheadOfEvents } ?? false
  }

  /// Records a deletion or an undecodable change, and applies it.
  @inlinable mutating func record(_ change: RecentChanges<Payload>.Change, at place: StreamPlace?) {
    let verification = libraries.verification(of: change.library)
    let entry = RecentChanges.Entry(
      commit: current.number, place: place, verification: verification,
      valueVerification: verification, change: change)
    if fetches.changes.isRecording { note(entry, in: entities.slot(of: change.key)) }
    apply(entry)
  }

  /// Notes a change for the answers in flight, and whether a later version is already known: the answer to a
  /// write may arrive after the event of a later one.
  @inlinable mutating func note(_ entry: consuming RecentChanges<Payload>.Entry, in slot: Slot?) {
    if let slot, let version = entry.change.version {
      entry.isOvertaken = version < entities[slot].version
    }
    fetches.changes.record(entry)
  }

  /// Records and applies a value in place: a copy would count references to everything in it.
  ///
  /// - Parameters:
  ///   - entity: the new value; afterwards the replaced value, if there was one.
  ///   - library: the store's index of its library; −1 if unknown.
  ///   - place: its position in the stream.
  ///   - isCurrent: whether the app states that it is the latest of its entity.
  ///   - verification: the number of the library's last verification that it includes; `nil`: the latest.
  ///   - expected: the slot where the entity was found before; −1: none.
  @inlinable mutating func recordChange(
    of entity: inout VersionedEntity<Payload>, library: Int16, at place: StreamPlace?,
    isCurrent: Bool = false, verification: UInt32? = nil, expected: Slot = -1
  ) {
    let slot = entities.slot(of: entity.key, expected: expected)
    let verification =
      verification
      ?? (isCurrent
        ? libraries.verification(of: library)
        : self.verification(ofEventOn: slot, library: library, at: place))
    if fetches.changes.isRecording {
      note(
        RecentChanges.Entry(
          commit: current.number, place: place, verification: libraries.verification(of: library),
          valueVerification: verification, change: .changed(entity, library: library)), in: slot)
    }
    if !isCurrent, mayBeOutdated(entity.version, in: slot),
      !isInOrder(library: library, at: place)
    {
      statistics.itemsSuperseded += 1
      markListsUnverified(about: entity, library: library, since: place)
    } else {
      applyChange(
        of: &entity, expectedIn: slot ?? -1, library: library, verification: verification,
        at: place)
    }
  }

  /// Records and applies a batch, whose entities are looked up several items ahead, to overlap memory latency
  /// with work.
  @inlinable mutating func recordChanges(
    of batch: consuming [VersionedEntity<Payload>], library: Int16, at place: StreamPlace?
  ) {
    var items = consume batch
    // The slots of this item and those after it, each at its index modulo eight.
    var slots = SIMD8<Slot>(repeating: -1)
    for index in items.indices {
      let slot = slots[index & 7]
      // In three steps, since each needs the data that the one before has loaded.
      if index + 8 < items.count {
        slots[index & 7] = entities.firstCandidate(of: items[index + 8].key)
      }
      if index + 4 < items.count {
        slots[(index + 4) & 7] = entities.slot(of: items[index + 4].key) ?? -1
      }
      let next = slots[(index + 2) & 7]
      if index + 2 < items.count, next >= 0 { prefetch(next) }
      recordChange(of: &items[index], library: library, at: place, expected: slot)
    }
    replaced.keep(consume items)
  }

  /// Returns the number of the last verification that an event includes: it confirms what its own stream had
  /// said of the entity before it, but not what another stream or the app has said.
  @inlinable func verification(
    ofEventOn slot: Slot?, library: Int16, at place: StreamPlace?
  ) -> UInt32 {
    let latest = libraries.verification(of: library)
    if planted(.eventConfirmsOthers) { return latest }
    guard let slot, entities[slot].version != .none else { return latest }
    let (owner, last) = (entities[slot].library, entities[slot].verification)
    if last == LibraryTable.unverified {
      // The event verifies the entity, but what else had been sent about it before is unknown.
      guard isInOrder(library: library, at: place) else { return last }
      return libraries.covers(place, verification: 0, library: library) ? latest : 0
    }
    // Any notice since may have concerned an unknown library.
    if owner < 0 { return last == libraries.verifications ? latest : 0 }
    let isConfirmed = libraries.covers(place, verification: last, library: owner)
    if library < 0 { return isConfirmed ? latest : 0 }
    return owner != library || isConfirmed ? latest : last
  }

  @inlinable mutating func apply(_ entry: RecentChanges<Payload>.Entry) {
    switch entry.change {
    case .changed(var entity, let library):
      applyChange(
        of: &entity, library: library, verification: entry.valueVerification, at: entry.place)
    case .deleted(let key, let version, let library):
      applyDeletion(of: key, version: version, library: library, at: entry.place)
    case .unverified(let key, _):
      guard let slot = entities.slot(of: key) else { return }
      markUnverified(slot)
      for query in holders(of: slot) where !isNewer(queries[query].place, than: entry.place) {
        markStale(query, since: entry.place)
      }
    }
  }

  /// Notes that an entity's value may not be the latest.
  @inlinable mutating func markUnverified(_ slot: Slot) {
    entities[slot].verification = LibraryTable.unverified
    entities.changes.mark(slot)
  }

  @inlinable mutating func applyChange(
    of entity: inout VersionedEntity<Payload>, expectedIn expected: Slot = -1, library: Int16,
    verification: UInt32, at place: StreamPlace?
  ) {
    guard isReferenceCounted, let slot = entities.slot(of: entity.key, expected: expected),
      entities.isListed(slot)
    else {
      applyToTables(
        &entity, expectedIn: expected, library: library, verification: verification, at: place)
      return
    }
    // An entity that moves from one list to another is not released in between.
    hold(slot)
    applyToTables(
      &entity, expectedIn: slot, library: library, verification: verification, at: place)
    unhold(slot)
    entities.freeIfUnused(slot)
  }

  /// Whether entities are removed when nothing references them any longer.
  @inlinable var isReferenceCounted: Bool {
    composition.retention == .referenceCount || composition.retention == .referenceCountObserved
  }

  @inlinable mutating func applyToTables(
    _ entity: inout VersionedEntity<Payload>, expectedIn expected: Slot, library: Int16,
    verification: UInt32, at place: StreamPlace?
  ) {
    guard hasPlace(for: entity.key) else {
      forget(entity, library: library, since: place)
      return
    }
    let slot = obtainSlot(of: entity.key, expected: expected)
    prefetch(slot)
    let result = write(
      &entity, in: slot, library: library, verification: verification, at: place, listedBy: nil)
    switch result {
    case .superseded:
      entities[slot].isAheadOfEvents = true
      return
    case .known:
      // A response brought the value before its event; an earlier list may contain it.
      if let slot = entities.slot(of: entity.key) {
        patchHolders(of: slot, payload: entity.payload, readBefore: place)
        entities.freeIfUnused(slot)
      }
    case .written, .replaced:
      statistics.itemsApplied += 1
    }
    entities[slot].isAheadOfEvents = false
    if planted(.lifetimeExtendedByEvent), let slot = entities.slot(of: entity.key) {
      for query in holders(of: slot) { queries[query].fetchedAt = now.nanoseconds }
    }
    if case .replaced = result {
      enterLists(residentIn: slot, library: library, at: place)
    } else {
      enterLists(entity, in: slot, library: library, at: place)
      admitIfListed(entity, library: library, verification: verification)
    }
  }

  /// Prefetches the memory that a change of an entity is about to access.
  @inlinable func prefetch(_ slot: Slot) {
    guard MemoryLayout<Payload>.size > 64 else { return }
    entities.prefetchPayload(of: slot)
    let listing = entities[slot].firstListing
    if listing >= 0 { queries.prefetch(listings[listing].query) }
  }

  /// Returns whether the cache may have known, and forgotten, a newer version of an unknown entity.
  ///
  /// One stream carries the changes of an entity in order; anything else, or anything received again, may be
  /// late. Such a value is rejected: the lists that it may enter become stale, and are fetched again.
  @inlinable func mayBeOutdated(_ entity: VersionedEntity<Payload>) -> Bool {
    mayBeOutdated(entity.version, in: entities.slot(of: entity.key))
  }

  @inlinable func mayBeOutdated(_ version: Version, in slot: Slot?) -> Bool {
    guard version < entities.forgotten else { return false }
    // A slot may exist for pending edits alone.
    return slot.map { entities[$0].version == .none } ?? true
  }

  /// Returns whether a position is in the only stream of its library, which carries the changes of each
  /// entity in order.
  @inlinable func isInOrder(library: Int16, at place: StreamPlace?) -> Bool {
    place != nil && libraries.hasOneStream(library)
  }

  @inlinable mutating func applyDeletion(
    of key: EntityKey, version: Version, library: Int16, at place: StreamPlace?
  ) {
    // If remembered, an old deletion would count as everything known of the entity, and a version older than
    // the forgotten one would be accepted.
    let isOutdated =
      !isInOrder(library: library, at: place) && mayBeOutdated(version, in: entities.slot(of: key))
    guard !isOutdated, hasPlace(for: key) else {
      // As if it had been remembered, and then forgotten.
      entities.forgetDeletion(version)
      return
    }
    let slot = obtainSlot(of: key)
    guard version >= entities[slot].version else {
      statistics.itemsSuperseded += 1
      entities.freeIfUnused(slot)
      return
    }
    statistics.itemsApplied += 1
    if optimistic.visible.isWatched { willChange(slot, to: nil) }
    if entities.isResident(slot) { removeResident(slot, cause: .deleted) }
    leaveLists(slot, at: place)
    entities.bury(slot, version: version, most: mostTombstones)
  }
}
