package import CacheModel

/// A row as a cache is sent it: a state of an object, and when and where that was written.
package struct SentRow: Hashable, Sendable {
  /// The number of the state: what the cache serves as the version of the row.
  package var state: UInt32
  /// Of two states of one object the one with the greater version is the later.
  package var version: Version

  package init(state: UInt32, version: Version) {
    self.state = state
    self.version = version
  }
}
