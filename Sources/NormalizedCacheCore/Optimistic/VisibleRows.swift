public import CacheModel
public import EvictionPolicies

/// The rows that queries show while mutations are pending, as far as they must be remembered.
///
/// While nothing is pending it is empty, and costs the test of one flag.
@usableFromInline struct VisibleRows<Payload: Sendable, Change: Sendable>: Sendable {
  /// Whether what queries show may differ from their confirmed rows in this commit.
  @usableFromInline var isWatched = false
  /// What observed queries showed before this commit, as far as it may have changed.
  @usableFromInline var before: [Int32: Before] = [:]
  /// The queries among them that showed what they would show now under the former edits.
  @usableFromInline var deferred: [Int32] = []
  /// What edits entities had before this commit, as long as it has changed nothing else.
  @usableFromInline var former: [EditTable<Payload, Change>.Exchange] = []
  /// Whether this commit does no more than confirm one entity.
  @usableFromInline var confirmsOneEntity = false
  /// Where pending rows stand beside rows that lost their values, by query.
  @usableFromInline var positions: [Int32: PinnedPositions<Payload>] = [:]
  /// Grows with each change of what pending edits show.
  @usableFromInline var revision: UInt64 = 0

  @inlinable init() {}

  @usableFromInline enum Before: Sendable {
    case rows([VisibleRow<Payload>])
    /// Not looked for yet.
    case underFormerEdits
    /// The rows that it shows now, except for one entity, which appeared like this.
    case entity(EntityKey, Appearance<Payload>)
  }

  /// Notes what edits entities had; what was noted first stays.
  @inlinable mutating func note(_ edits: [EditTable<Payload, Change>.Exchange]) {
    for entity in edits where !former.contains(where: { $0.key == entity.key }) {
      former.append(entity)
    }
  }

  /// Puts off looking for the rows that a query showed: until the former edits are forgotten.
  @inlinable mutating func `defer`(_ query: Int32) {
    before[query] = .underFormerEdits
    deferred.append(query)
  }

  /// The tables change, so that the rows before can no longer be had from former edits.
  @inlinable mutating func forgetFormerEdits() {
    deferred.removeAll(keepingCapacity: true)
    former.removeAll(keepingCapacity: true)
  }

  /// What pending edits show changes.
  @inlinable mutating func didChange() {
    isWatched = true
    revision += 1
  }

  /// Ends a commit's comparisons.
  @inlinable mutating func endCommit(showsConfirmed: Bool) {
    before.removeAll(keepingCapacity: true)
    forgetFormerEdits()
    confirmsOneEntity = false
    isWatched = !showsConfirmed
    if showsConfirmed { positions.removeAll() }
  }

  /// A row of a query is about to lose its value, so that it looks different.
  @inlinable mutating func forgetAppearance(in query: Int32) {
    if case .entity = before[query] { before[query] = nil }
  }

  // MARK: Positions

  /// Whether the noted positions of a query are current.
  @inlinable func hasPinned(_ query: Int32) -> Bool {
    guard let positions = positions[query] else { return false }
    return positions.isPinned && positions.revision == revision
  }

  /// A list has changed: values that are there may contradict its noted positions.
  @inlinable mutating func unpin(_ query: Int32) {
    if !positions.isEmpty { positions[query]?.isPinned = false }
  }

  /// A row leaves its position in a list: what stood behind it stands behind the row before.
  @inlinable mutating func passOn(
    _ query: Int32, behind key: EntityKey, to predecessor: EntityKey?
  ) {
    guard let former = positions[query] else { return }
    positions[query]?.positions = former.positions.mapValues { position in
      var position = position
      if position.predecessor == key { position.predecessor = predecessor }
      return position
    }
  }

  /// Notes positions under the server's keys.
  @inlinable mutating func rename(_ keys: [EntityKey: EntityKey]) {
    guard !positions.isEmpty else { return }
    positions = positions.mapValues { former in
      var renamed = former
      for name in keys.keys.sorted() {
        guard let key = keys[name], let position = renamed.positions.removeValue(forKey: name)
        else {
          continue
        }
        renamed.positions[key] = position
      }
      return renamed
    }
  }
}

/// How an entity appears in a list, at whatever position.
@usableFromInline enum Appearance<Payload: Sendable>: Sendable {
  case absent
  /// As a row with this value, or without one.
  case row(Payload?)
  /// It depends on other rows.
  case unknown
}

/// The positions of pending rows in one list.
@usableFromInline struct PinnedPositions<Payload: Sendable>: Sendable {
  @usableFromInline var positions: [EntityKey: PinnedPosition<Payload>] = [:]
  /// Whether rows have only lost values since: then every position is as it was.
  ///
  /// Otherwise a position counts unless the values that are there contradict it.
  @usableFromInline var isPinned = true
  /// The ``VisibleRows/revision`` at which they were noted.
  @usableFromInline var revision: UInt64

  @inlinable init(revision: UInt64) { self.revision = revision }
}

@usableFromInline struct PinnedPosition<Payload: Sendable>: Sendable {
  /// The value that stands there.
  @usableFromInline var payload: Payload
  /// The confirmed row behind which it stands; `nil`: the beginning.
  @usableFromInline var predecessor: EntityKey?
  /// Whether its position is within what is known of the list.
  @usableFromInline var isKnown: Bool

  @inlinable init(payload: Payload, predecessor: EntityKey?, isKnown: Bool) {
    self.payload = payload
    self.predecessor = predecessor
    self.isKnown = isKnown
  }
}

/// Positions beside rows without a value.
///
/// Such a row decides nothing. A pending row stands right behind the last row that is known to come
/// before it, and at the beginning if none is. When a row loses its value, the positions of the pending
/// rows next to it are noted, so that an eviction moves nothing: each stays where it is until the list
/// or the row changes, and then as long as no value that is there contradicts it.
extension CacheStore {
  /// The confirmed row before which a pending row stands; `nil` where that is not known, since it may
  /// stand beyond the end of a window.
  @inlinable func index(of row: Row, among confirmed: [Row], in list: List) -> Int? {
    guard list.isSorted, let payload = row.payload else { return confirmed.count }
    if planted(.pendingRowLostInGap), isLostInGap(row, confirmed, list) { return nil }
    var noted: PinnedPosition<Payload>?
    if let position = list.positions?.positions[row.key],
      isSamePosition(position.payload, payload, of: row.key, in: list)
    {
      noted = position
    }
    let former = noted.flatMap { $0.predecessor.map { list.indexOfRow[$0].map { $0 + 1 } } ?? 0 }
    if let noted, list.positions?.isPinned ?? false, !noted.isKnown || former != nil {
      guard noted.isKnown, let former, former < confirmed.count || !list.hasMore else { return nil }
      return former
    }
    let range = Self.positions(among: confirmed.count) { index in
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
  @inlinable static func positions(
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

  // MARK: Noting positions

  /// A row is about to lose its value: notes the positions of the pending rows beside it.
  @inlinable mutating func pinPositions(beside slot: Slot) {
    guard composition.membership == .patch else { return }
    for query in holders(of: slot) where queries[query].hasResult && queries[query].isSorted {
      pinPositions(in: query)
    }
  }

  /// O(1) where they are noted; else O(rows), and for each edited entity in its scope O(log rows).
  @inlinable mutating func pinPositions(in query: Int32) {
    if optimistic.visible.hasPinned(query) { return }
    let confirmed = queries[query].members.map { confirmedRow($0, for: query) }
    var noted = PinnedPositions<Payload>(revision: optimistic.visible.revision)
    for pending in separated(confirmed, in: list(of: query, confirmed)).positioned {
      guard let payload = pending.row.payload else { continue }
      noted.positions[pending.row.key] = PinnedPosition(
        payload: payload,
        predecessor: pending.index.flatMap { $0 > 0 ? confirmed[$0 - 1].key : nil },
        isKnown: pending.index != nil)
    }
    optimistic.visible.positions[query] = noted
  }

  /// A row leaves its position in a list: what stood behind it stands behind the row before.
  @inlinable mutating func passOnPositions(behind slot: Slot, in query: Int32) {
    guard !optimistic.visible.positions.isEmpty,
      let index = queries[query].members.firstIndex(of: slot)
    else {
      return
    }
    let before = index > 0 ? entities.key(of: queries[query].members[index - 1]) : nil
    optimistic.visible.passOn(query, behind: entities.key(of: slot), to: before)
  }
}
