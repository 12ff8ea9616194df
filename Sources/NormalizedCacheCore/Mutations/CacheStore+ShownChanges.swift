public import CacheModel
public import EvictionPolicies

/// Who is told: while mutations are pending, an observed query is notified when what it *shows* has
/// changed, whatever happened to its confirmed rows.
///
/// Before a commit touches a query, what it shows is remembered, once; at the end of the commit the
/// two are compared. While nothing is pending all of this costs the test of one flag. A query that
/// was touched before it could be remembered is told: rather once too often than not at all.
///
/// A user's change as such changes the edits alone, and the rows before it can be had from the former
/// edits at any time until the tables change. Mostly there is no such read: one entity that shows otherwise is
/// reason enough to tell, at a cost that hangs on neither the rows nor the edits of others. Where the
/// server then confirms just that entity, how it appeared is remembered instead of the rows.
extension CacheStore {
  /// Whether a touched query shows what it showed before the commit.
  @inlinable mutating func showsSameAsBefore(_ query: Int32) -> Bool {
    if case .entity(let key, let before) = shown.before[query] {
      return appearsAsBefore(key, before, in: query)
    }
    if case .underFormerEdits = shown.before[query] {
      if showsEditedOtherwise(query) { return false }
      rememberDeferred()
    }
    guard case .rows(let before) = shown.before[query] else { return false }
    let now = shownRows(of: query)
    guard before.count == now.count else { return false }
    return zip(before, now).allSatisfy { former, row in
      former.key == row.key && isEqual(former.payload, row.payload)
    }
  }

  @inlinable func isEqual(_ former: Payload?, _ payload: Payload?) -> Bool {
    switch (former, payload) {
    case (let former?, let payload?): schema.areEqual(former, payload)
    case (nil, nil): true
    default: false
    }
  }

  /// Remembers what an observed query shows, unless the commit has changed it already; a first result
  /// is news, also where it is empty.
  @inlinable mutating func rememberShown(_ query: Int32) {
    if isToBeRemembered(query) { shown.before[query] = .rows(shownRows(of: query)) }
  }

  @inlinable func isToBeRemembered(_ query: Int32) -> Bool {
    queries[query].isObserved && queries[query].hasResult
      && queries[query].touchedInCommit != current.number && shown.before[query] == nil
  }

  /// The tables are about to change: remembers what can be had from them for the last time.
  @inlinable mutating func rememberDeferred() {
    guard !shown.former.isEmpty else { return }
    if !shown.deferred.isEmpty {
      pending.exchangeEdits(for: &shown.former)
      for query in shown.deferred { shown.before[query] = .rows(shownRows(of: query)) }
      pending.exchangeEdits(for: &shown.former)
    }
    shown.forgetFormerEdits()
  }

  /// An entity is about to lose its value, and is not deleted.
  @inlinable mutating func willLoseValue(_ slot: Slot) {
    rememberDeferred()
    guard shown.confirmsOneEntity else { return }
    for query in holders(of: slot) { shown.forgetAppearance(in: query) }
  }

  // MARK: Changes

  /// An entity's confirmed value is about to change.
  ///
  /// Its pending edits may carry the change into lists that do not confirm it.
  ///
  /// - Parameters:
  ///   - slot: the entity.
  ///   - incoming: its value to be; `nil` where it will have none.
  @inlinable mutating func willChange(_ slot: Slot, to incoming: Payload?) {
    if incoming == nil || !rememberAppearance(of: slot) { rememberDeferred() }
    for query in holders(of: slot) { rememberShown(query) }
    let key = entities.key(of: slot)
    guard pending.hasEdits(of: key) else { return }
    shown.didChange()
    let value = replay(pending.edits(of: key), on: incoming)
    var concerned = observedQueries(concernedBy: key, showing: shownValue(of: key))
    concerned += observedQueries(concernedBy: key, showing: value)
    // It may not be taken: then the former value goes on showing.
    pending.edited.addScopes(scopes(of: value, key), of: key)
    for query in concerned {
      rememberShown(query)
      tellObservers(of: query)
    }
  }

  /// The observed queries in which an entity may show: those that list it, and those into whose
  /// scopes its value falls.
  @inlinable func observedQueries(
    concernedBy key: EntityKey, showing value: ShownValue<Payload>
  ) -> [Int32] {
    var concerned = entities.slot(of: key).map { holders(of: $0) } ?? []
    if case .value(let payload) = value {
      schema.forEachScope(of: payload, key: key) { scope in
        for library in libraries.indices {
          concerned += queries.inScope(scope, library: Int16(library))
        }
      }
    }
    return concerned.filter { queries[$0].isObserved && queries[$0].hasResult }
  }

  @inlinable func observedQueries(concernedBy keys: [EntityKey]) -> [Int32] {
    keys.flatMap { observedQueries(concernedBy: $0, showing: shownValue(of: $0)) }
  }

  /// Changes the overlay, and sees to what hangs on it: which entities are held back from eviction,
  /// and whose rows may have changed.
  ///
  /// - Parameters:
  ///   - keys: the entities whose edits change, under their names before and after.
  ///   - change: what to do.
  @inlinable mutating func changeOverlay(
    of keys: [EntityKey], _ change: (inout PendingMutations<Payload, Schema.Change>) -> Void
  ) {
    var concerned = observedQueries(concernedBy: keys)
    var former: [FormerEdits] = []
    for key in Set(keys).sorted() {
      former.append(FormerEdits(key: key, edits: pending.edited[key]))
    }
    change(&pending)
    shown.didChange()
    for key in keys {
      let value = shownValue(of: key)
      pending.edited.setScopes(scopes(of: value, key), of: key)
      concerned += observedQueries(concernedBy: key, showing: value)
    }
    shown.note(former)
    for query in concerned {
      if isToBeRemembered(query) { shown.defer(query) }
      tellObservers(of: query)
    }
    holdEdited(former)
  }

  /// The scopes into which a value falls.
  @inlinable func scopes(of value: ShownValue<Payload>, _ key: EntityKey) -> [QueryScope] {
    guard case .value(let payload) = value else { return [] }
    var scopes: [QueryScope] = []
    schema.forEachScope(of: payload, key: key) { scope in
      if !scopes.contains(scope) { scopes.append(scope) }
    }
    return scopes
  }

  /// What edits an entity had before the overlay was changed.
  @usableFromInline typealias FormerEdits = EditedEntities<Payload, Schema.Change>.Exchange

  /// Holds back from eviction what has pending edits now, and notes what has none any longer.
  @inlinable mutating func holdEdited(_ former: [FormerEdits]) {
    for entity in former {
      let isHeld = pending.hasEdits(of: entity.key)
      guard (entity.edits != nil) != isHeld else { continue }
      let slot = entities.obtainSlot(of: entity.key)
      evictable.order.reserve(slots: entities.slotCount)
      if isHeld {
        hold(slot)
      } else {
        released.noteEdited(slot)
      }
    }
  }

  /// Lets go of what has no pending edits any longer.
  @inlinable mutating func releaseEdited() {
    for slot in released.takeEdited() {
      unhold(slot)
      entities.freeIfUnused(slot)
    }
  }
}
