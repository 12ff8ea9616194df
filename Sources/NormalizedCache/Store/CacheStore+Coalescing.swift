public import CacheModel
public import EvictionPolicies

/// Notifications at a bounded rate: the first change of a query is told at once and opens a window;
/// what changes within it is told at its end, which opens the next one.
///
/// All windows are of one length, so they end in the order in which they opened: amortised O(1) for
/// each notification, and a wake-up at most for each.
extension CacheStore {
  /// Whether a query's observers are told later; if not, a window opens now.
  @inlinable mutating func postponesNotice(of query: Int32) -> Bool {
    guard queries.inWindow.contains(query) else {
      queries[query].notifiedAt = now.nanoseconds
      queries.inWindow.pushYoung(query)
      return false
    }
    if !queries[query].isNoticePending {
      queries[query].isNoticePending = true
      queries.pendingNotices += 1
    }
    return true
  }

  /// Ends the windows that are over, and tells with this commit what they held back.
  @inlinable mutating func closeCoalescingWindows() {
    while let query = queries.inWindow.oldest, endOfWindow(of: query) <= now {
      #if PLANTED_DEFECTS
        if plantedDefect == .coalescingLosesLastValue {
          _ = queries.leaveWindow(query)
          continue
        }
      #endif
      if queries.leaveWindow(query) { tellObservers(of: query) }
    }
  }

  @inlinable func endOfWindow(of query: Int32) -> Instant {
    Instant(nanoseconds: queries[query].notifiedAt).advanced(byNanoseconds: coalescingWindow)
  }

  /// When a window ends while something is held back; `nil`: nothing is.
  @inlinable var noticeDeadline: Instant? {
    guard queries.pendingNotices > 0, let query = queries.inWindow.oldest else { return nil }
    return endOfWindow(of: query)
  }
}
