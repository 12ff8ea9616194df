public import CacheModel
public import EvictionPolicies

/// Who is told: while mutations are pending, an observed query is notified when what it *shows* has
/// changed, whatever happened to its confirmed rows.
///
/// Before a commit touches a query, what it shows is remembered, once; at the end of the commit the
/// two are compared. While nothing is pending all of this costs the test of one flag. A query that
/// was touched before it could be remembered is told: rather once too often than not at all.
extension CacheStore {
  /// Whether a touched query shows what it showed before the commit.
  @inlinable func showsSameAsBefore(_ query: Int32) -> Bool {
    guard let before = shown.before[query] else { return false }
    let now = shownRows(of: query)
    guard before.count == now.count else { return false }
    return zip(before, now).allSatisfy { former, row in
      guard former.key == row.key else { return false }
      switch (former.payload, row.payload) {
      case (let former?, let payload?): return schema.areEqual(former, payload)
      case (nil, nil): return true
      default: return false
      }
    }
  }

  /// Remembers what an observed query shows, unless the commit has changed it already; a first result
  /// is news, also where it is empty.
  @inlinable mutating func rememberShown(_ query: Int32) {
    if isToBeRemembered(query) { shown.before[query] = shownRows(of: query) }
  }

  @inlinable func isToBeRemembered(_ query: Int32) -> Bool {
    queries[query].isObserved && queries[query].hasResult
      && queries[query].touchedInCommit != current.number && shown.before[query] == nil
  }

  /// An entity's confirmed value is about to change.
  ///
  /// Its pending edits may carry the change into lists that do not confirm it.
  ///
  /// - Parameters:
  ///   - slot: the entity.
  ///   - incoming: its value to be; `nil` where it will have none.
  @inlinable mutating func willChange(_ slot: Slot, to incoming: Payload?) {
    for query in holders(of: slot) { rememberShown(query) }
    let key = entities.key(of: slot)
    guard pending.hasEdits(of: key) else { return }
    shown.didChange()
    let edits = pending.edits(of: key)
    var concerned = observedQueries(concernedBy: key, showing: shownValue(of: key))
    concerned += observedQueries(concernedBy: key, showing: replay(edits, on: incoming))
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
    let concerned = observedQueries(concernedBy: keys)
    for query in concerned { rememberShown(query) }
    var former: [FormerEdits] = []
    for key in Set(keys).sorted() {
      former.append(FormerEdits(key: key, edits: pending.edited[key]))
    }
    change(&pending)
    shown.didChange()
    let entered = observedQueries(concernedBy: keys)
    if entered.contains(where: { isToBeRemembered($0) }) {
      // What they showed is what they would show under the former overlay.
      pending.exchangeEdits(for: &former)
      for query in entered { rememberShown(query) }
      pending.exchangeEdits(for: &former)
    }
    for query in concerned { tellObservers(of: query) }
    for query in entered { tellObservers(of: query) }
    holdEdited(former)
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
