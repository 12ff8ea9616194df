public import CacheModel
import EvictionPolicies

/// How one entity shows in a list, where that hangs on no other: enough to tell observers, without a
/// look at the other rows.
extension CacheStore {
  /// How an entity shows in a list, wherever it stands.
  @usableFromInline enum Appearance {
    case absent
    /// As a row with this value, or without one.
    case row(Payload?)
    /// It hangs on other rows.
    case unknown
  }

  /// Whether an entity whose edits this commit has changed shows otherwise in a list than before; `false`
  /// also where it cannot be told without the other rows.
  ///
  /// O(edits of these entities).
  @inlinable func showsEditedOtherwise(_ query: Int32) -> Bool {
    let record = queries[query]
    let list = List(
      plan: record.plan, library: record.library, isSorted: record.isSorted,
      hasMore: record.hasMore)
    if let limit = list.plan.limit {
      // The last ones might be cut off.
      let most = pending.edited.count(in: list.scope) + shown.former.count
      if record.members.count + most > limit { return false }
    }
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

  /// How an entity shows in a list that cuts nothing off.
  @inlinable func appearance(
    of key: EntityKey, under edited: EntityEdits<Payload, Schema.Change>?, in list: List,
    _ query: Int32
  ) -> Appearance {
    if let slot = entities.slot(of: key), listing(of: slot, in: query) != nil {
      let row = confirmedRow(slot)
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
