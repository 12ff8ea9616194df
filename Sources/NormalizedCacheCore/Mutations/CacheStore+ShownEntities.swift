public import CacheModel
public import EvictionPolicies

/// How one entity shows in a list, where that hangs on no other: enough to tell observers, without a
/// look at the other rows.
extension CacheStore {
  /// Whether an entity whose edits this commit has changed shows otherwise in a list than before; `false`
  /// also where it cannot be told without the other rows.
  ///
  /// O(edits of these entities).
  @inlinable func showsEditedOtherwise(_ query: Int32) -> Bool {
    let list = listWithoutPlaces(of: query)
    if mayCutOff(query, in: list, adding: shown.former.count) { return false }
    return shown.former.contains { former in
      let key = former.key
      let before = appearance(of: key, under: former.edits, in: list, query)
      switch (before, appearance(of: key, under: pending.edited[key], in: list, query)) {
      case (.row(let former), .row(let payload)): return !isEqual(former, payload)
      case (.absent, .row), (.row, .absent): return true
      case (.absent, .absent), (.unknown, _), (_, .unknown): return false
      }
    }
  }

  /// What the overlay must know of a cached list where no places are asked for.
  @inlinable func listWithoutPlaces(of query: Int32) -> List {
    let record = queries[query]
    return List(
      plan: record.plan, library: record.library, isSorted: record.isSorted,
      hasMore: record.hasMore)
  }

  /// Whether a list's limit might cut off its last rows, with so many entities more than may enter now.
  @inlinable func mayCutOff(_ query: Int32, in list: List, adding more: Int) -> Bool {
    guard let limit = list.plan.limit else { return false }
    return queries[query].members.count + pending.edited.count(in: list.scope) + more > limit
  }

  /// Whether what a list shows follows from the values alone: each row stands where its value belongs,
  /// and none is cut off.
  @inlinable func isOrderedByValues(_ query: Int32, in list: List, adding more: Int) -> Bool {
    composition.membership == .patch && list.isSorted && !list.hasMore
      && queries[query].missing == 0 && shown.places[query] == nil
      && !mayCutOff(query, in: list, adding: more)
  }

  /// Remembers how an entity appears in the lists that its edits concern, instead of all their rows,
  /// where its confirmation is all that the commit changes.
  ///
  /// O(edits) for each list.
  ///
  /// - Parameter slot: the entity, whose value is about to change.
  /// - Returns: whether that is enough: no row of these lists hangs on another.
  @inlinable mutating func rememberAppearance(of slot: Slot) -> Bool {
    guard shown.confirmsOneEntity, shown.former.count == 1, entities.isResident(slot),
      shown.former[0].key == entities.key(of: slot),
      shown.deferred.allSatisfy({
        isOrderedByValues($0, in: listWithoutPlaces(of: $0), adding: 1)
      })
    else { return false }
    let former = shown.former[0]
    for query in shown.deferred {
      let list = listWithoutPlaces(of: query)
      shown.before[query] = .entity(
        former.key, appearance(of: former.key, under: former.edits, in: list, query))
    }
    shown.forgetFormerEdits()
    return true
  }

  /// Whether an entity appears in a list as before the commit, which has changed nothing else in it.
  @inlinable func appearsAsBefore(
    _ key: EntityKey, _ before: ShownAppearance<Payload>, in query: Int32
  ) -> Bool {
    let list = listWithoutPlaces(of: query)
    guard isOrderedByValues(query, in: list, adding: 0) else { return false }
    switch (before, appearance(of: key, under: pending.edited[key], in: list, query)) {
    case (.row(let former), .row(let payload)): return isEqual(former, payload)
    case (.absent, .absent): return true
    default: return false
    }
  }

  /// How an entity shows in a list that cuts nothing off.
  @inlinable func appearance(
    of key: EntityKey, under edited: EntityEdits<Payload, Schema.Change>?, in list: List,
    _ query: Int32
  ) -> ShownAppearance<Payload> {
    if let slot = entities.slot(of: key), listing(of: slot, in: query) != nil {
      let row = confirmedRow(slot, for: query)
      guard let edited else { return .row(row.payload) }
      return switch fate(of: row, showing: replay(edited.edits, on: row.payload), in: list) {
      case .leaves: .absent
      // Also where its new place is beyond what is known: then it keeps the former one.
      case .stays(let row), .moves(let row): .row(row.payload)
      }
    }
    guard let edited, edited.library == list.library, let row = enteringRow(edited, list) else {
      return .absent
    }
    // At the end of a window it hangs on where it would stand.
    return list.hasMore ? .unknown : .row(row.payload)
  }
}
