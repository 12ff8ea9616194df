/// What an app does with its cache besides reading and changing.
package enum Maintenance: Hashable, Sendable {
  /// A query need no longer be kept at hand.
  case untag(query: UInt32)
  /// A query gets the first rows of another that lists the same, and more of it.
  case take(query: UInt32, from: UInt32)
  /// What a query lists is to be asked for again.
  case invalidate(query: UInt32)
  /// All is to be forgotten.
  case clear
  /// No more is to be in memory than so many billionths of what is there.
  case release(billionths: UInt32)
}
