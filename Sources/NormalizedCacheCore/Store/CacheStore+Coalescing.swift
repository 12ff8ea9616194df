public import CacheModel
public import EvictionPolicies

/// Notifications at a bounded rate: see ``Notifications``.
///
/// Amortised O(1) for each notification, and a wake-up at most for each.
extension CacheStore {
  /// Ends the windows that are over, and tells with this commit what they held back.
  @inlinable mutating func closeCoalescingWindows() {
    while let query = notifications.inWindow.oldest, endOfWindow(of: query) <= now {
      let hasMore = notifications.leaveWindow(query, &queries[query])
      if planted(.coalescingLosesLastValue) { continue }
      if hasMore { tellObservers(of: query) }
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
