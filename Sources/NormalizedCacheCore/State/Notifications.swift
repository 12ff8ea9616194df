public import CacheModel
public import EvictionPolicies

/// Who is to be told of what the commit changed, and who was told within the coalescing window.
///
/// Each query is told once for each commit, and no more often than once in a window: the first change
/// opens it, what changes within it is told at its end, which opens the next. All windows are of one
/// length, so they end in the order in which they opened.
@usableFromInline package struct Notifications: ~Copyable {
  /// The shortest time between two notifications of one query, in nanoseconds.
  @usableFromInline let window: Int64
  /// Queries whose rows the current commit changed.
  @usableFromInline var touched: [Int32] = []
  /// Queries whose observers were told within the window, first told first.
  @usableFromInline var inWindow = SlotList()
  /// How many of these have more to tell.
  @usableFromInline var pendingCount = 0
  /// Whether it is news that a list has rows beyond its last, though none of its rows changed.
  @usableFromInline package var tellsOfMore = false

  @inlinable init(window: Duration) {
    self.window = window.wholeNanoseconds
  }

  /// Makes room for so many queries.
  @inlinable mutating func reserve(queries: Int) { inWindow.reserve(slots: queries) }

  /// Has a query told at the end of the commit; once, however often it is called.
  @inlinable mutating func touch<Predicate>(
    _ query: Int32, _ record: inout QueryRecord<Predicate>, in commit: UInt64
  ) {
    guard record.touchedInCommit != commit else { return }
    record.touchedInCommit = commit
    touched.append(query)
  }

  /// All are told.
  @inlinable mutating func forgetTouched() {
    // Mostly one: `removeAll` takes as long as for many.
    while touched.popLast() != nil {}
  }

  /// Whether a query's observers are told later; if not, a window opens now.
  @inlinable mutating func postpones<Predicate>(
    _ query: Int32, _ record: inout QueryRecord<Predicate>, at now: Instant
  ) -> Bool {
    guard window > 0 else { return false }
    guard inWindow.contains(query) else {
      record.notifiedAt = now.nanoseconds
      inWindow.pushYoung(query)
      return false
    }
    if !record.isNoticePending {
      record.isNoticePending = true
      pendingCount += 1
    }
    return true
  }

  /// Ends a query's window, if it is in one.
  ///
  /// - Returns: whether there is more to tell.
  @inlinable mutating func leaveWindow<Predicate>(
    _ query: Int32, _ record: inout QueryRecord<Predicate>
  ) -> Bool {
    guard inWindow.contains(query) else { return false }
    inWindow.remove(query)
    guard record.isNoticePending else { return false }
    record.isNoticePending = false
    pendingCount -= 1
    return true
  }

  /// When a window ends that opened at an instant, in nanoseconds.
  @inlinable func end(ofWindowFrom instant: Int64) -> Instant {
    Instant(nanoseconds: instant).advanced(byNanoseconds: window)
  }
}
