public import CacheModel
public import EvictionPolicies

/// Where pending rows stand in one list.
@usableFromInline struct ShownPlaces<Payload: Sendable>: Sendable {
  @usableFromInline var places: [EntityKey: ShownPlace<Payload>] = [:]
  /// Whether rows have only lost values since: then every place is as it was.
  ///
  /// Otherwise a place holds as far as the values that are there do not say another.
  @usableFromInline var isPinned = true
  /// The overlay under which they were noted.
  @usableFromInline var revision: UInt64

  @inlinable init(revision: UInt64) {
    self.revision = revision
  }
}

@usableFromInline struct ShownPlace<Payload: Sendable>: Sendable {
  /// The value that stands there.
  @usableFromInline var payload: Payload
  /// The confirmed row behind which it stands; `nil`: the beginning.
  @usableFromInline var predecessor: EntityKey?
  /// Whether its place is within what is known of the list.
  @usableFromInline var isKnown: Bool

  @inlinable init(payload: Payload, predecessor: EntityKey?, isKnown: Bool) {
    self.payload = payload
    self.predecessor = predecessor
    self.isKnown = isKnown
  }
}

/// Places beside rows without a value.
///
/// Such a row decides nothing. A pending row stands right behind the last row that is known to come
/// before it, and at the beginning where none is. When a row loses its value, the places of the pending
/// rows beside it are noted, so that what is evicted moves nothing: each stays where it is until the list
/// changes, or the row itself, and then as long as no value that is there says another place.
extension CacheStore {
  /// The confirmed row before which a pending row stands; `nil` where that is not known, since it may
  /// stand beyond the end of a window.
  @inlinable func index(of row: Row, among confirmed: [Row], in list: List) -> Int? {
    guard list.isSorted, let payload = row.payload else { return confirmed.count }
    if planted(.pendingRowLostInGap), isLostInGap(row, confirmed, list) { return nil }
    var noted: ShownPlace<Payload>?
    if let place = list.places?.places[row.key],
      isSamePlace(place.payload, payload, of: row.key, in: list)
    {
      noted = place
    }
    let former = noted.flatMap { $0.predecessor.map { list.indexOfRow[$0].map { $0 + 1 } } ?? 0 }
    if let noted, list.places?.isPinned ?? false, !noted.isKnown || former != nil {
      guard noted.isKnown, let former, former < confirmed.count || !list.hasMore else { return nil }
      return former
    }
    let range = Self.places(among: confirmed.count) { index in
      confirmed[index].payload.map {
        schema.precedes(
          $0, key: confirmed[index].key, payload, key: row.key, in: list.plan.predicate)
      }
    }
    if noted?.isKnown ?? false, let former, range.contains(former),
      former < confirmed.count || !list.hasMore
    {
      return former
    }
    return range.upperBound < confirmed.count || !list.hasMore ? range.lowerBound : nil
  }

  /// Where something may stand among rows in order, by bisection: before the row of one of these
  /// indices.
  ///
  /// O(log rows), and O(rows) where rows cannot be compared.
  ///
  /// - Parameters:
  ///   - count: how many rows there are.
  ///   - precedes: whether a row comes before it; `nil`: not known.
  /// - Returns: from the first to the last.
  @inlinable static func places(
    among count: Int, _ precedes: (Int) -> Bool?
  ) -> ClosedRange<Int> {
    var low = 0
    var high = count
    search: while low < high {
      let middle = (low + high) / 2
      for distance in 0...(high - low) / 2 {
        for index in [middle - distance, middle + distance] where low <= index && index < high {
          guard let isBefore = precedes(index) else { continue }
          if isBefore { low = index + 1 } else { high = index }
          continue search
        }
      }
      break
    }
    return low...high
  }

  // MARK: Noting places

  /// A row is about to lose its value: notes the places of the pending rows beside it.
  @inlinable mutating func pinPlaces(beside slot: Slot) {
    guard composition.membership == .patch else { return }
    for query in holders(of: slot) where queries[query].hasResult && queries[query].isSorted {
      pinPlaces(in: query)
    }
  }

  /// O(1) where they are noted; else O(rows), and for each edited entity in its scope O(log rows).
  @inlinable mutating func pinPlaces(in query: Int32) {
    if shown.hasPinned(query) { return }
    let confirmed = queries[query].members.map { confirmedRow($0, for: query) }
    let list = list(of: query, confirmed)
    var noted = ShownPlaces<Payload>(revision: shown.revision)
    var listed: Set<EntityKey> = []
    func note(_ row: Row) {
      guard let payload = row.payload else { return }
      let index = index(of: row, among: confirmed, in: list)
      noted.places[row.key] = ShownPlace(
        payload: payload,
        predecessor: index.flatMap { $0 > 0 ? confirmed[$0 - 1].key : nil }, isKnown: index != nil)
    }
    for row in confirmed {
      guard let entity = pending.edited[row.key] else { continue }
      listed.insert(row.key)
      let shown = replay(entity.edits, on: row.payload)
      if case .moves(let row) = fate(of: row, showing: shown, in: list) { note(row) }
    }
    for entity in pending.edited.inOrder(in: list.scope) where !listed.contains(entity.key) {
      if let row = enteringRow(entity, list) { note(row) }
    }
    shown.places[query] = noted
  }

  /// A row leaves its place in a list: what stood behind it stands behind the row before.
  @inlinable mutating func passOnPlaces(behind slot: Slot, in query: Int32) {
    guard !shown.places.isEmpty, let index = queries[query].members.firstIndex(of: slot) else {
      return
    }
    let before = index > 0 ? entities.key(of: queries[query].members[index - 1]) : nil
    shown.passOn(query, behind: entities.key(of: slot), to: before)
  }
}
