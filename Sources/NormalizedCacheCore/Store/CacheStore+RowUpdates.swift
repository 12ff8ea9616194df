public import CacheModel

/// Identifies a row's value: equal marks mean the same value.
@usableFromInline package struct RowMark: Equatable, BitwiseCopyable, Sendable {
  @usableFromInline let key: EntityKey
  @usableFromInline let isSummary: Bool
  @usableFromInline let version: Version
  /// In nanoseconds: a value that was evicted and fetched again in the same version may differ.
  @usableFromInline let writtenAt: Int64

  @inlinable init(_ record: EntityRecord) {
    key = record.key
    isSummary = record.isSummary
    version = record.version
    writtenAt = record.writtenAt
  }

  /// The mark of a row that the next update must include: its value may change without a sign.
  @inlinable static var none: RowMark { RowMark(EntityRecord()) }

  /// Whether rows with the same mark have the same value: an entity without versions may have several values.
  @inlinable var identifiesValue: Bool { version != .none }
}

/// An update of a query's rows for a reader that has most of them.
@usableFromInline package struct RowUpdate<Payload: Sendable>: Sendable {
  @usableFromInline package enum Run: Sendable {
    /// Unchanged, at these indices of the reader's rows.
    case kept(Range<Int>)
    /// At these indices of the new rows.
    case new(Range<Int>)
  }

  /// In order.
  @usableFromInline package var runs: [Run] = []
  @usableFromInline package var new: [VersionedEntity<Payload>] = []
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
  /// Returns the rows of a query that have a value; rows that the reader has are not copied, since a copy
  /// counts references to everything in a value.
  ///
  /// A row that has moved may count as new; with pending edits every row does. O(rows).
  ///
  /// - Returns: `nil` without a result.
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

  /// The maximum number of consecutive removed rows after which later ones are still found.
  @inlinable static var rowsPassedOver: Int { 16 }

  /// Returns a reader's index of a row: the expected one, or one after some removed rows.
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
