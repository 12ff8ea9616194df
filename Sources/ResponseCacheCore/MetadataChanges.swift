import CacheModel

/// The changes of what is known of entries, numbered, and how far they have been written.
struct MetadataChanges: Sendable {
  /// The last change.
  private(set) var last: UInt64 = 0
  /// The last that is written.
  private(set) var flushed: UInt64 = 0
  /// The last that could not be.
  private(set) var failed: UInt64 = 0
  /// The last that somebody waits for.
  private(set) var urgent: UInt64 = 0
  /// The last of downloads.
  var downloads: UInt64 = 0
  /// When the first change came that is not written.
  private var dirtySince: Instant?

  mutating func change(at now: Instant) {
    last += 1
    if dirtySince == nil { dirtySince = now }
  }

  /// Has what was changed so far written at once.
  mutating func urge() { urgent = last }

  var isDirty: Bool { last > flushed }

  /// Whether somebody waits, for more than has been tried.
  var isUrgent: Bool { urgent > max(flushed, failed) }

  /// When all is to be written at the latest.
  func due(_ interval: Duration) -> Instant? {
    isDirty ? dirtySince?.advanced(by: interval) : nil
  }

  /// - Returns: the last change that will be written.
  mutating func begin() -> UInt64 {
    dirtySince = nil
    return last
  }

  mutating func end(through change: UInt64, isWritten: Bool, at now: Instant) {
    if isWritten {
      flushed = max(flushed, change)
    } else {
      failed = max(failed, change)
      // Tried again after the interval, or when somebody waits for more.
      dirtySince = now
    }
  }
}
