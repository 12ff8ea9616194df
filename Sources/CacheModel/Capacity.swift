/// How much a cache may hold, and how far it empties itself when it is full.
///
/// All limits that are given hold at once. A watermark is where eviction begins and ends; the limit is
/// what must not be exceeded.
public struct Capacity: Hashable, Sendable {
  /// The limit in entities; `nil`: none.
  public var entities: Int?
  /// The limit in bytes of weight; `nil`: none.
  public var bytes: Int?
  /// The limit in bytes of memory, as the store predicts what its values and its tables take; `nil`:
  /// none.
  ///
  /// Tables grow in steps and never shrink, so what would make one grow beyond the limit is foreseen:
  /// space is made first, and what does not fit, such as a list, is returned and not kept.
  public var memory: Int?
  /// Eviction starts when more than this share of a limit is in use, in whole entities and bytes; of a
  /// limit that is not 0, one at least.
  public var highWatermark: Double
  /// Eviction stops when at most this share of a limit is in use, reckoned alike.
  public var lowWatermark: Double

  public init(
    entities: Int?, bytes: Int? = nil, memory: Int? = nil, highWatermark: Double = 1,
    lowWatermark: Double = 1
  ) {
    self.entities = entities
    self.bytes = bytes
    self.memory = memory
    self.highWatermark = highWatermark
    self.lowWatermark = lowWatermark
  }

  public static let unlimited = Capacity(entities: nil)
}

/// What becomes of what is retained where a limit is exceeded and nothing may be evicted.
public enum LimitKind: String, Hashable, Sendable, CaseIterable {
  /// It is kept, and the limit stays exceeded until something is released.
  case soft
  /// It is given up until the limit holds: queries without observers go, the least recently used
  /// first; then the least recently used rows of observed ones lose their values, while their lists
  /// stay, so that the next read is partial.
  ///
  /// What has pending edits is not evicted, so it alone may exceed a limit, and a limit in memory the
  /// records of observed queries, which are the app's.
  case hard
}
