/// How a client recovered from a fault in the middle of a run.
package struct Recovery: Hashable, Sendable {
  /// From the fault to the cache having caught up.
  package var duration: Duration
  /// What the client that was started again found in its storage; `nil` where none was killed.
  package var resumption: Resumption?

  package init(duration: Duration, resumption: Resumption? = nil) {
    self.duration = duration
    self.resumption = resumption
  }
}

/// Where a client that was started again went on.
package struct Resumption: Hashable, Sendable {
  /// The newest event that its storage knew; 0: none, so that it asked for everything anew.
  package var stored: UInt64
  /// The newest event that the server had then.
  package var reached: UInt64
  /// Listings that it had to ask for: none where the storage had them all.
  package var fetches: Int

  package init(stored: UInt64, reached: UInt64, fetches: Int) {
    self.stored = stored
    self.reached = reached
    self.fetches = fetches
  }
}
