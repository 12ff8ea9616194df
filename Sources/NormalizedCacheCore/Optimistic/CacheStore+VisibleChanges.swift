public import CacheModel
public import EvictionPolicies

/// While mutations are pending, an observed query is notified when its *visible* rows have changed, whether
/// or not its confirmed rows did.
///
/// Before a commit touches a query, its visible rows are recorded once; at the end of the commit they are
/// compared. Without pending mutations this costs the test of one flag. A query that was touched before it
/// could be recorded is notified: one notification too many is better than a missing one.
///
/// A user's change alters the edits alone, so the previous rows can be computed from the former edits until
/// the tables change. Usually this is unnecessary: one entity that looks different is reason enough to
/// notify, at a cost that depends neither on the rows nor on the edits of others. If the server then confirms
/// just that entity, its former appearance is recorded instead of the rows.
extension CacheStore {
  /// Returns whether a touched query shows the same rows as before the commit.
  @inlinable mutating func showsSameAsBefore(_ query: Int32) -> Bool {
    switch optimistic.visible.before[query] {
    case .entity(let key, let before): return appearsAsBefore(key, before, in: query)
    case .underFormerEdits:
      if showsEditedOtherwise(query) { return false }
      rememberDeferred()
    case .rows, nil: break
    }
    guard case .rows(let before) = optimistic.visible.before[query] else { return false }
    let now = visibleRows(of: query)
    guard before.count == now.count else { return false }
    return zip(before, now).allSatisfy { former, row in
      former.key == row.key && isEqual(former.payload, row.payload)
    }
  }

  @inlinable func isEqual(_ former: Payload?, _ payload: Payload?) -> Bool {
    guard let former, let payload else { return former == nil && payload == nil }
    return schema.areEqual(former, payload)
  }

  /// Records the visible rows of an observed query, unless the commit has already changed them; a first
  /// result always notifies, even an empty one.
  @inlinable mutating func rememberRows(_ query: Int32) {
    if isToBeRemembered(query) { optimistic.visible.before[query] = .rows(visibleRows(of: query)) }
  }

  @inlinable func isToBeRemembered(_ query: Int32) -> Bool {
    queries[query].isObserved && queries[query].hasResult
      && queries[query].touchedInCommit != current.number && optimistic.visible.before[query] == nil
  }

  /// Records rows that can be computed only until the tables change.
  @inlinable mutating func rememberDeferred() {
    guard !optimistic.visible.former.isEmpty else { return }
    if !optimistic.visible.deferred.isEmpty {
      optimistic.exchangeFormerEdits()
      for query in optimistic.visible.deferred {
        optimistic.visible.before[query] = .rows(visibleRows(of: query))
      }
      optimistic.exchangeFormerEdits()
    }
    optimistic.visible.forgetFormerEdits()
  }

  /// Prepares for the loss of an entity's value that is not a deletion.
  @inlinable mutating func willLoseValue(_ slot: Slot) {
    rememberDeferred()
    guard optimistic.visible.confirmsOneEntity else { return }
    for query in holders(of: slot) { optimistic.visible.forgetAppearance(in: query) }
  }

  // MARK: Changes

  /// Prepares for a change of an entity's confirmed value.
  ///
  /// Its pending edits may move it into lists that do not confirm it.
  @inlinable mutating func willChange(_ slot: Slot, to incoming: Payload?) {
    if incoming == nil || !rememberAppearance(of: slot) { rememberDeferred() }
    for query in holders(of: slot) { rememberRows(query) }
    let key = entities.key(of: slot)
    guard optimistic.hasEdits(of: key) else { return }
    optimistic.visible.didChange()
    let value = replay(optimistic.edits(of: key), on: incoming)
    var concerned = observedQueries(concernedBy: key, showing: visibleValue(of: key))
    concerned += observedQueries(concernedBy: key, showing: value)
    // The write may be rejected: then the former value stays visible.
    optimistic.edits.addScopes(scopes(of: value, key), of: key)
    for query in concerned {
      rememberRows(query)
      scheduleNotification(of: query)
    }
  }

  /// The observed queries in which an entity may be visible: those that list it, and those whose scopes
  /// contain its value.
  @inlinable func observedQueries(
    concernedBy key: EntityKey, showing value: VisibleValue<Payload>
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
    keys.flatMap { observedQueries(concernedBy: $0, showing: visibleValue(of: $0)) }
  }

  /// Changes the optimistic layer and what depends on it: the entities held back from eviction, and the
  /// queries whose rows may have changed.
  @inlinable mutating func changeEdits(
    of keys: [EntityKey], _ change: (inout OptimisticLayer<Payload, Schema.Change>) -> Void
  ) {
    var distinct = Set<EntityKey>()
    let keys = keys.filter { distinct.insert($0).inserted }
    var concerned = observedQueries(concernedBy: keys)
    var former: [FormerEdits] = []
    for key in keys.sorted() {
      former.append(FormerEdits(key: key, edits: optimistic.edits[key]))
    }
    change(&optimistic)
    optimistic.visible.didChange()
    for key in keys {
      let value = visibleValue(of: key)
      optimistic.edits.setScopes(scopes(of: value, key), of: key)
      concerned += observedQueries(concernedBy: key, showing: value)
    }
    optimistic.visible.note(former)
    for query in concerned {
      if isToBeRemembered(query) { optimistic.visible.defer(query) }
      scheduleNotification(of: query)
    }
    holdEdited(former)
  }

  @inlinable func scopes(of value: VisibleValue<Payload>, _ key: EntityKey) -> [QueryScope] {
    guard case .value(let payload) = value else { return [] }
    var scopes: [QueryScope] = []
    schema.forEachScope(of: payload, key: key) { scope in
      if !scopes.contains(scope) { scopes.append(scope) }
    }
    return scopes
  }

  /// The edits of entities before the layer was changed.
  @usableFromInline typealias FormerEdits = EditTable<Payload, Schema.Change>.Exchange

  /// Protects entities with pending edits from eviction, and notes those that no longer have any.
  @inlinable mutating func holdEdited(_ former: [FormerEdits]) {
    for entity in former {
      let isHeld = optimistic.hasEdits(of: entity.key)
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

  /// Ends the protection of entities without pending edits.
  @inlinable mutating func releaseEdited() {
    for slot in released.takeEdited() {
      unhold(slot)
      entities.freeIfUnused(slot)
    }
  }
}

/// The appearance of one entity in a list, if it depends on no other row: enough to notify observers without
/// reading the other rows.
extension CacheStore {
  /// Returns whether an entity whose edits changed in this commit looks different in a list; `false` also if
  /// that depends on other rows.
  ///
  /// O(edits of these entities).
  @inlinable func showsEditedOtherwise(_ query: Int32) -> Bool {
    let list = list(of: query)
    if mayCutOff(query, in: list, adding: optimistic.visible.former.count) { return false }
    return optimistic.visible.former.contains { former in
      let before = appearance(of: former.key, under: former.edits, in: list, query)
      return isSame(before, as: former.key, in: list, query) == false
    }
  }

  /// Returns whether a list's limit might cut off its last rows if `more` entities enter.
  @inlinable func mayCutOff(_ query: Int32, in list: List, adding more: Int) -> Bool {
    guard let limit = list.plan.limit else { return false }
    return queries[query].members.count + optimistic.edits.count(in: list.scope) + more > limit
  }

  /// Returns whether a list's visible rows follow from the values alone: every row is in order, and none is
  /// cut off.
  @inlinable func isOrderedByValues(_ query: Int32, in list: List, adding more: Int) -> Bool {
    composition.membership == .patch && list.isSorted && !list.hasMore
      && queries[query].missing == 0 && optimistic.visible.positions[query] == nil
      && !mayCutOff(query, in: list, adding: more)
  }

  /// Records an entity's appearance in the lists that its edits affect, instead of all rows, if the commit
  /// only confirms it.
  ///
  /// O(edits) for each list.
  ///
  /// - Returns: whether that is enough: no row of these lists depends on another.
  @inlinable mutating func rememberAppearance(of slot: Slot) -> Bool {
    guard optimistic.visible.confirmsOneEntity, optimistic.visible.former.count == 1,
      entities.isResident(slot),
      optimistic.visible.former[0].key == entities.key(of: slot),
      optimistic.visible.deferred.allSatisfy({
        isOrderedByValues($0, in: list(of: $0), adding: 1)
      })
    else { return false }
    let former = optimistic.visible.former[0]
    for query in optimistic.visible.deferred {
      let list = list(of: query)
      optimistic.visible.before[query] = .entity(
        former.key, appearance(of: former.key, under: former.edits, in: list, query))
    }
    optimistic.visible.forgetFormerEdits()
    return true
  }

  /// Returns whether an entity appears in a list as before the commit, which has changed nothing else in it.
  @inlinable func appearsAsBefore(
    _ key: EntityKey, _ before: Appearance<Payload>, in query: Int32
  ) -> Bool {
    let list = list(of: query)
    return isOrderedByValues(query, in: list, adding: 0)
      && isSame(before, as: key, in: list, query) == true
  }

  /// Whether an entity appears in a list as before; `nil` if that is not known.
  @inlinable func isSame(
    _ before: Appearance<Payload>, as key: EntityKey, in list: List, _ query: Int32
  ) -> Bool? {
    let now = appearance(of: key, under: optimistic.edits[key], in: list, query)
    if case .unknown = now { return nil }
    switch before {
    case .row(let former):
      guard case .row(let payload) = now else { return false }
      return isEqual(former, payload)
    case .absent:
      if case .absent = now { return true } else { return false }
    case .unknown: return nil
    }
  }

  /// The appearance of an entity in a list that cuts nothing off.
  @inlinable func appearance(
    of key: EntityKey, under edited: EntityEdits<Payload, Schema.Change>?, in list: List,
    _ query: Int32
  ) -> Appearance<Payload> {
    if let slot = entities.slot(of: key), listing(of: slot, in: query) != nil {
      let row = confirmedRow(slot, for: query)
      guard let edited else { return .row(row.payload) }
      return switch fate(of: row, under: edited, in: list) {
      case .leaves: .absent
      case .stays(let row): .row(row.payload)
      // At the end of a window it depends on its position.
      case .moves(let row): list.hasMore ? .unknown : .row(row.payload)
      }
    }
    guard let edited, edited.library == list.library, let row = enteringRow(edited, list) else {
      return .absent
    }
    // At the end of a window it depends on its position.
    return list.hasMore ? .unknown : .row(row.payload)
  }
}
