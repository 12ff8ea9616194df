public import CacheModel
public import EvictionPolicies

/// The queries whose observers are notified of the commit, and those that were notified within the coalescing window.
///
/// Each query is notified once for each commit, and no more often than once in a window: the first change
/// opens it, changes within it are sent at its end, which opens the next. All windows are of one
/// length, so they end in the order in which they opened.
@usableFromInline package struct Notifications: ~Copyable {
  /// The shortest time between two notifications of one query, in nanoseconds.
  @usableFromInline let window: Int64
  /// Queries whose rows the current commit changed.
  @usableFromInline var touched: [Int32] = []
  /// Queries whose observers were notified within the window, the earliest first.
  @usableFromInline var inWindow = SlotList()
  /// How many of these have more to send.
  @usableFromInline var pendingCount = 0
  /// Whether it is news that a list has rows beyond its last, though none of its rows changed.
  @usableFromInline package var notifiesOfMore = false

  @inlinable init(window: Duration) { self.window = window.wholeNanoseconds }

  /// Makes room for so many queries.
  @inlinable mutating func reserve(queries: Int) { inWindow.reserve(slots: queries) }

  /// Notifies the observers of a query at the end of the commit; once, however often it is called.
  @inlinable mutating func touch<Predicate>(
    _ query: Int32, _ record: inout QueryRecord<Predicate>, in commit: UInt64
  ) {
    guard record.touchedInCommit != commit else { return }
    record.touchedInCommit = commit
    touched.append(query)
  }

  /// All are notified.
  @inlinable mutating func forgetTouched() {
    // Mostly one: `removeAll` takes as long as for many.
    while touched.popLast() != nil {}
  }

  /// Whether a query's observers are notified later; if not, a window opens now.
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
  /// - Returns: whether there is more to send.
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

/// Notifications at a bounded rate: see ``Notifications``.
///
/// Amortised O(1) for each notification, and a wake-up at most for each.
extension CacheStore {
  /// Ends the windows that are over, and sends with this commit what they held back.
  @inlinable mutating func closeCoalescingWindows() {
    while let query = notifications.inWindow.oldest, endOfWindow(of: query) <= now {
      let hasMore = notifications.leaveWindow(query, &queries[query])
      if planted(.coalescingLosesLastValue) { continue }
      if hasMore { scheduleNotification(of: query) }
    }
  }

  @inlinable func endOfWindow(of query: Int32) -> Instant {
    notifications.end(ofWindowFrom: queries[query].notifiedAt)
  }

  /// When a window ends while something is held back; `nil`: nothing is.
  @inlinable var noticeDeadline: Instant? {
    guard notifications.pendingCount > 0, let query = notifications.inWindow.oldest else {
      return nil
    }
    return endOfWindow(of: query)
  }
}

/// Values that were replaced and live on for a while, a bounded number: a shell that notifies observers
/// first lets them not wait while texts are freed that are no longer needed.
@usableFromInline package struct ReplacedValues<Payload: Sendable>: Sendable {
  /// Whether any are kept.
  @usableFromInline package var isOn = false
  @usableFromInline var values: [VersionedEntity<Payload>] = []
  /// The last batch: where a value lay that has been written, the one lies that it replaced.
  @usableFromInline var batch: [VersionedEntity<Payload>] = []

  @inlinable init() {}

  /// How many values are kept.
  package var count: Int { values.count + batch.count }

  /// Keeps what was given for the value that it replaced.
  @inlinable @inline(__always) mutating func keep(_ former: consuming VersionedEntity<Payload>) {
    guard isOn, values.count < StoreLimits.replacedValues else { return }
    values.append(former)
  }

  /// Keeps a batch, in which values lie that were replaced; the last one only.
  @inlinable mutating func keep(_ batch: consuming [VersionedEntity<Payload>]) {
    if isOn { self.batch = batch }
  }

  @inlinable package mutating func release() {
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if !batch.isEmpty { batch = [] }
  }
}
