/// Told when something begins and ends that takes time: for signposts, traces and timers.
///
/// Called where it happens, from several threads at once, so it should return within microseconds. The two
/// calls of an interval bear the same number, which no other interval of the cache has.
public protocol TwoTierInstrument: Sendable {
  func didBegin(_ interval: TwoTierInterval, id: UInt64)
  func didEnd(_ interval: TwoTierInterval, id: UInt64)
}

/// What takes time in a two-tier cache.
public enum TwoTierInterval: String, Hashable, Sendable, CaseIterable {
  /// A read by the app, whichever tier answers.
  case read
  /// A look at a file, and reading and decoding it.
  case diskRead
  /// The removal of orphans and the listing of files, or the deletion of those that were too many.
  case cleanUp
}
