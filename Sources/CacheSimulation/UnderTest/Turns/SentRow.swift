public import CacheModel

/// A row as a cache is sent it: a state of an object, and when and where that was written.
public struct SentRow: Hashable, Sendable {
  /// The number of the object.
  public var object: UInt32
  /// The number of the state: what the cache serves as the version of the row.
  public var state: UInt32
  /// Of two states of one object the one with the greater version is the later.
  public var version: Version

  public init(object: UInt32, state: UInt32, version: Version) {
    self.object = object
    self.state = state
    self.version = version
  }

  /// The row as a cache serves it.
  public var served: ServedRow { ServedRow(object: Int(object), version: Int(state)) }
}
