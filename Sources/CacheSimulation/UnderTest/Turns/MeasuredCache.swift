/// A cache under test that is one of ours: it says what it takes, in memory and on its disk.
///
/// Its process may end and another begin, which then finds what the former one stored, and what it was ever
/// sent it may serve.
package protocol MeasuredCache: CacheUnderTest {
  /// What it takes now.
  var use: CacheUse { get }
  /// Whether the server's events reach it; if not, nothing is delivered, and no byte of events counts against it.
  var takesEvents: Bool { get }
  /// What a query lists is to be asked for again, as the user pulls the view down: its next read is answered by the
  /// server or, where no answer comes, by what is there.
  func refresh(_ query: Int)
}

/// What a cache takes.
package struct CacheUse: Hashable, Sendable {
  /// In memory, in bytes, as an app would.
  package var memoryBytes = 0
  /// The largest share of a limit on memory that is in use; `nil`: it has none.
  package var limitShare: Double?
  /// Bytes of its files.
  package var diskBytes = 0
  package var files = 0
  /// Files, or rows, that were written since the client's first process began.
  package var diskWrites = 0

  package init() {}
}
