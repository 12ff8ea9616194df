public import CacheModel
public import EvictionPolicies

/// The queries to notify in this commit, and those notified within the coalescing window.
///
/// Each query is notified once per commit, and at most once per window: the first change opens it, changes
/// within it are sent at its end, which opens the next. All windows have the same length, so they end in the
/// order in which they opened.
@usableFromInline package struct Notifications: ~Copyable {
  /// The minimum time between two notifications of one query, in nanoseconds.
  @usableFromInline let window: Int64
  /// Queries whose rows the current commit changed.
  @usableFromInline var touched: [Int32] = []
  /// Queries whose observers were notified within the window, the earliest first.
  @usableFromInline var inWindow = SlotList()
  /// The number of these with delayed changes.
  @usableFromInline var pendingCount = 0
  /// Whether a query is notified when only ``QuerySnapshot/hasMore`` changes.
  @usableFromInline package var notifiesOfMore = false

  @inlinable init(window: Duration) { self.window = window.wholeNanoseconds }

  @inlinable mutating func reserve(queries: Int) { inWindow.reserve(slots: queries) }

  /// Schedules a notification of a query's observers for the end of the commit; repeated calls have no
  /// effect.
  @inlinable mutating func touch<Predicate>(
    _ query: Int32, _ record: inout QueryRecord<Predicate>, in commit: UInt64
  ) {
    guard record.touchedInCommit != commit else { return }
    record.touchedInCommit = commit
    touched.append(query)
  }

  /// Clears the touched queries after notification.
  @inlinable mutating func forgetTouched() {
    // Usually there is one: `removeAll` takes as long as for many.
    while touched.popLast() != nil {}
  }

  /// Returns whether a query's notification is delayed; if not, a window opens now.
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
  /// - Returns: whether there are delayed changes.
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

  /// Returns the end of a window that opened at an instant, in nanoseconds.
  @inlinable func end(ofWindowFrom instant: Int64) -> Instant {
    Instant(nanoseconds: instant).advanced(byNanoseconds: window)
  }
}

/// Notifications at a bounded rate: see ``Notifications``.
///
/// Amortised O(1) for each notification, with at most one wake-up for each.
extension CacheStore {
  /// Ends the windows that are over, and sends their delayed changes with this commit.
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

  /// The earliest end of a window with delayed changes; `nil`: there are none.
  @inlinable var noticeDeadline: Instant? {
    guard notifications.pendingCount > 0, let query = notifications.inWindow.oldest else {
      return nil
    }
    return endOfWindow(of: query)
  }
}

/// A bounded number of replaced values, which are released later: a shell notifies observers first, so that
/// they do not wait for deallocations.
@usableFromInline package struct ReplacedValues<Payload: Sendable>: Sendable {
  @usableFromInline package var isOn = false
  @usableFromInline var values: [VersionedEntity<Payload>] = []
  /// The last batch: written values were exchanged in place for those that they replaced.
  @usableFromInline var batch: [VersionedEntity<Payload>] = []

  @inlinable init() {}

  package var count: Int { values.count + batch.count }

  @inlinable @inline(__always) mutating func keep(_ former: consuming VersionedEntity<Payload>) {
    guard isOn, values.count < StoreLimits.replacedValues else { return }
    values.append(former)
  }

  /// Keeps a batch of replaced values; only the last one.
  @inlinable mutating func keep(_ batch: consuming [VersionedEntity<Payload>]) {
    if isOn { self.batch = batch }
  }

  @inlinable package mutating func release() {
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if !batch.isEmpty { batch = [] }
  }
}
