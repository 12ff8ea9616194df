public import CacheModel
public import EvictionPolicies

/// The visible rows of queries while mutations are pending, as far as they must be recorded.
///
/// Without pending mutations it is empty, and costs the test of one flag.
@usableFromInline struct VisibleRows<Payload: Sendable, Change: Sendable>: Sendable {
  /// Whether what queries show may differ from their confirmed rows in this commit.
  @usableFromInline var isWatched = false
  /// The rows that observed queries showed before this commit, as far as they may have changed.
  @usableFromInline var before: [Int32: Before] = [:]
  /// The queries among them whose previous rows are still to be computed from the former edits.
  @usableFromInline var deferred: [Int32] = []
  /// The edits of entities before this commit, while it has changed nothing else.
  @usableFromInline var former: [EditTable<Payload, Change>.Exchange] = []
  @usableFromInline var formerKeys: Set<EntityKey> = []
  /// Whether this commit only confirms one entity.
  @usableFromInline var confirmsOneEntity = false
  /// The positions of pending rows next to rows that lost their values, by query.
  @usableFromInline var positions: [Int32: PinnedPositions<Payload>] = [:]
  /// Increases with each change of what pending edits show.
  @usableFromInline var revision: UInt64 = 0

  @inlinable init() {}

  @usableFromInline enum Before: Sendable {
    case rows([VisibleRow<Payload>])
    /// Not computed yet.
    case underFormerEdits
    /// The current rows, except for one entity, which had this appearance.
    case entity(EntityKey, Appearance<Payload>)
  }

  /// Records the former edits of entities; the first record of each is kept.
  @inlinable mutating func note(_ edits: [EditTable<Payload, Change>.Exchange]) {
    for entity in edits where formerKeys.insert(entity.key).inserted { former.append(entity) }
  }

  /// Defers computing a query's previous rows, until the former edits are discarded.
  @inlinable mutating func `defer`(_ query: Int32) {
    before[query] = .underFormerEdits
    deferred.append(query)
  }

  /// Discards the former edits, since the tables change and previous rows no longer follow from them.
  @inlinable mutating func forgetFormerEdits() {
    deferred.removeAll(keepingCapacity: true)
    former.removeAll(keepingCapacity: true)
    formerKeys.removeAll(keepingCapacity: true)
  }

  /// Notes that pending edits show something different now.
  @inlinable mutating func didChange() {
    isWatched = true
    revision += 1
  }

  @inlinable mutating func endCommit(showsConfirmed: Bool) {
    before.removeAll(keepingCapacity: true)
    forgetFormerEdits()
    confirmsOneEntity = false
    isWatched = !showsConfirmed
    if showsConfirmed { positions.removeAll() }
  }

  /// Notes that a row of a query is about to lose its value and look different.
  @inlinable mutating func forgetAppearance(in query: Int32) {
    if case .entity = before[query] { before[query] = nil }
  }

  // MARK: Positions

  /// Returns whether the recorded positions of a query are current.
  @inlinable func hasPinned(_ query: Int32) -> Bool {
    guard let positions = positions[query] else { return false }
    return positions.isPinned && positions.revision == revision
  }

  /// Notes that a list has changed: present values may contradict its recorded positions.
  @inlinable mutating func unpin(_ query: Int32) {
    if !positions.isEmpty { positions[query]?.isPinned = false }
  }

  /// Moves positions behind a row that leaves its position to the row before it.
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

  /// Renames recorded positions to the server's keys.
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

/// The appearance of an entity in a list, whatever its position.
@usableFromInline enum Appearance<Payload: Sendable>: Sendable {
  case absent
  /// A row with this value, or without one.
  case row(Payload?)
  /// It depends on other rows.
  case unknown
}

@usableFromInline struct PinnedPositions<Payload: Sendable>: Sendable {
  @usableFromInline var positions: [EntityKey: PinnedPosition<Payload>] = [:]
  /// Whether rows have only lost values since: then every position is unchanged.
  ///
  /// Otherwise a position is valid unless present values contradict it.
  @usableFromInline var isPinned = true
  /// The ``VisibleRows/revision`` of the record.
  @usableFromInline var revision: UInt64

  @inlinable init(revision: UInt64) { self.revision = revision }
}

@usableFromInline struct PinnedPosition<Payload: Sendable>: Sendable {
  @usableFromInline var payload: Payload
  /// The confirmed row before it; `nil`: it is the first.
  @usableFromInline var predecessor: EntityKey?
  /// Whether its position is within the known part of the list.
  @usableFromInline var isKnown: Bool

  @inlinable init(payload: Payload, predecessor: EntityKey?, isKnown: Bool) {
    self.payload = payload
    self.predecessor = predecessor
    self.isKnown = isKnown
  }
}

/// Positions next to rows without a value.
///
/// A row without a value determines no order. A pending row is placed right after the last row known to
/// precede it, or first if there is none. When a row loses its value, the positions of adjacent pending rows
/// are recorded, so that an eviction moves nothing: each keeps its position until the list or the row
/// changes, and afterwards as long as no present value contradicts it.
extension CacheStore {
  /// Returns the index of the confirmed row after a pending row; `nil` if unknown, since it may belong after
  /// the end of a window.
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

  /// Finds an insertion point among sorted rows by bisection: before the row of one of these indices.
  ///
  /// O(log rows), and O(rows) if rows cannot be compared.
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

  /// Records the positions of pending rows next to a row that is about to lose its value.
  @inlinable mutating func pinPositions(beside slot: Slot) {
    guard composition.membership == .patch else { return }
    for query in holders(of: slot) where queries[query].hasResult && queries[query].isSorted {
      pinPositions(in: query)
    }
  }

  /// O(1) if they are recorded; otherwise O(rows), and O(log rows) for each edited entity in the scope.
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

  /// Moves positions behind a row that leaves its position to the row before it.
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
