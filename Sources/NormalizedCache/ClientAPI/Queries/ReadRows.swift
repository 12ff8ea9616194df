package import CacheModel

/// The rows of a query read as an app's values, and what tells which of them are still as they were.
@usableFromInline package struct ReadRows<Value: Sendable>: Sendable {
  @usableFromInline package var values: [Value] = []
  /// One for each value.
  @usableFromInline package var marks: [RowMark] = []
  /// Whether every row of the query is there.
  @usableFromInline package var isComplete = false
  /// Why the first row was left out that could not be read.
  @usableFromInline var error: (any Error)?

  /// None: the next update brings every row.
  @inlinable package init() {}

  /// Reads what is new, and leaves a row out that cannot be read: it is new the next time too.
  ///
  /// O(rows), of which those that stay cost a copy of the value.
  ///
  /// - Parameters:
  ///   - update: what has become of the query's rows.
  ///   - former: the rows since which it was asked for.
  ///   - read: makes the app's value of a row.
  @inlinable package init<Payload: Sendable>(
    _ update: RowUpdate<Payload>, since former: Self,
    reading read: (VersionedEntity<Payload>) throws -> Value
  ) {
    isComplete = update.isComplete
    for run in update.runs {
      switch run {
      case .kept(let places):
        values += former.values[places]
        marks += former.marks[places]
      case .new(let places):
        for place in places { take(update.new[place], update.newMarks[place], reading: read) }
      }
    }
  }

  @inlinable mutating func take<Payload: Sendable>(
    _ row: VersionedEntity<Payload>, _ mark: RowMark,
    reading read: (VersionedEntity<Payload>) throws -> Value
  ) {
    do {
      values.append(try read(row))
      marks.append(mark)
    } catch {
      isComplete = false
      if self.error == nil { self.error = error }
    }
  }
}
