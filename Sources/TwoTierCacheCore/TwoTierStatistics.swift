/// What a two-tier cache has done since it was made.
public struct TwoTierStatistics: Hashable, Sendable {
  /// Reads that memory answered, of what waited to be written too.
  public var memoryHits = 0
  /// Reads that a file answered.
  public var diskHits = 0
  public var misses = 0
  /// Values that came from a file into memory.
  public var promotions = 0
  /// Values that left memory to make space.
  public var evictions = 0

  /// Values that were set.
  public var writes = 0
  /// Files that were written: fewer than `writes` where a value was set again before it was.
  public var filesWritten = 0
  /// Their bytes, with what stands before the values.
  public var fileBytesWritten = 0
  /// Files that could not be written.
  public var failedWrites = 0
  /// Values that were larger than a file may be.
  public var tooLarge = 0

  public var cleanUps = 0
  /// Files that clean-ups removed for their age.
  public var agedFiles = 0
  /// Files that they removed for the limit on bytes.
  public var trimmedFiles = 0
  /// Files that could be read but not understood, and were removed.
  public var corruptFiles = 0
  /// Files that could not be read this time, and were left alone.
  public var unreadableFiles = 0

  /// All that was asked for.
  public var reads: Int { memoryHits + diskHits + misses }

  public init() {}
}

/// Whether a two-tier cache has files.
public enum TwoTierDisk: Hashable, Sendable {
  case available
  /// There is no space: files are read, what is set is in memory only, and the disk is tried again.
  case full
  /// There is no folder, or no right to it: memory only, until the cache is made again.
  case unavailable
}
