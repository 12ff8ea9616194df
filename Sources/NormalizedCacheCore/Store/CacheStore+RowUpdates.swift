public import CacheModel
public import EvictionPolicies

/// Whether a row is as a reader has it: two that are equal are of one value.
@usableFromInline package struct RowMark: Equatable, BitwiseCopyable, Sendable {
  @usableFromInline let key: EntityKey
  @usableFromInline let isSummary: Bool
  @usableFromInline let version: Version
  /// In nanoseconds: a value that was evicted and fetched again in one version may differ.
  @usableFromInline let writtenAt: Int64

  @inlinable init(_ record: EntityRecord) {
    key = record.key
    isSummary = record.isSummary
    version = record.version
    writtenAt = record.writtenAt
  }

  /// Of a row that the next update must bring again: its value may be another without a sign.
  @inlinable static var none: RowMark { RowMark(EntityRecord()) }

  /// Whether a row with the same mark has the same value: one without a version may be followed by another
  /// without one.
  @inlinable var identifiesValue: Bool { version != .none }
}

/// The rows of a query for a reader that has most of them already.
@usableFromInline package struct RowUpdate<Payload: Sendable>: Sendable {
  /// Rows that follow one another.
  @usableFromInline package enum Run: Sendable {
    /// As the reader has them, at these places among its rows.
    case kept(Range<Int>)
    /// At these places among the new ones.
    case new(Range<Int>)
  }

  /// In order.
  @usableFromInline package var runs: [Run] = []
  @usableFromInline package var new: [VersionedEntity<Payload>] = []
  /// One for each new row.
  @usableFromInline package var newMarks: [RowMark] = []
  @usableFromInline package var isComplete = true

  @inlinable init() {}

  @inlinable mutating func keep(_ place: Int) {
    if case .kept(let places)? = runs.last, places.upperBound == place {
      runs[runs.count - 1] = .kept(places.lowerBound..<place + 1)
    } else {
      runs.append(.kept(place..<place + 1))
    }
  }

  @inlinable mutating func bring(_ row: VersionedEntity<Payload>, _ mark: RowMark) {
    new.append(row)
    newMarks.append(mark)
    if case .new(let places)? = runs.last {
      runs[runs.count - 1] = .new(places.lowerBound..<new.count)
    } else {
      runs.append(.new(new.count - 1..<new.count))
    }
  }
}

extension CacheStore {
  /// The rows of a query that have a value; those that a reader has are not copied, since a copy counts
  /// references to all that a value holds.
  ///
  /// A row that has moved may count as new; while edits are pending every row does. O(rows).
  ///
  /// - Returns: `nil` where the query has no result.
  @inlinable package func rowUpdate(of key: QueryKey, since known: [RowMark]) -> RowUpdate<Payload>?
  {
    guard let query = queries.index(of: key), queries[query].hasResult else { return nil }
    var update = RowUpdate<Payload>()
    guard optimistic.showsConfirmed else {
      for row in visibleRows(of: query) {
        if let entity = row.entity {
          update.bring(entity, .none)
        } else {
          update.isComplete = false
        }
      }
      return update
    }
    let members = queries[query].members
    if known.isEmpty {
      update.new.reserveCapacity(members.count)
      update.newMarks.reserveCapacity(members.count)
    }
    var expected = 0
    for index in members.indices {
      let slot = members[index]
      if known.isEmpty { prefetchRow(index + Self.rowsAhead, of: members) }
      guard hasValue(slot, for: query) else {
        update.isComplete = false
        continue
      }
      let mark = RowMark(entities[slot])
      if let place = place(of: mark, in: known, from: expected) {
        update.keep(place)
        expected = place + 1
      } else if let row = confirmedEntity(in: slot) {
        update.bring(row, mark)
        if expected < known.count, known[expected].key == mark.key { expected += 1 }
      }
    }
    return update
  }

  /// How many rows that follow one another may have gone, and those behind them are still found.
  @inlinable static var rowsPassedOver: Int { 16 }

  /// Where a reader has a row: where it is expected, or behind some that have gone.
  @inlinable @inline(__always) func place(
    of mark: RowMark, in known: [RowMark], from expected: Int
  ) -> Int? {
    let places = expected..<min(expected + 1 + Self.rowsPassedOver, known.count)
    if planted(.changedRowKept) {
      return places.first { known[$0].key == mark.key }
    }
    return mark.identifiesValue ? places.first { known[$0] == mark } : nil
  }
}
