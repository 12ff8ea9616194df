/// What a response cache has done since it was made.
public struct ResponseStatistics: Hashable, Sendable {
  /// Fetches of what may be stored, however they ended, but for those that another's request answered.
  public var fetches = 0
  /// Fetches that joined another of the same URL.
  public var joined = 0
  /// Fetches that memory answered without a request.
  public var memoryHits = 0
  /// Fetches that a file answered without a request.
  public var diskHits = 0
  /// Of both, those that were answered because no server could be reached.
  public var offlineHits = 0
  /// Requests to servers for what may be stored.
  public var requests = 0
  /// Answers that said that the stored body is the present one.
  public var revalidations = 0
  /// Stale bodies that were served since the server failed.
  public var staleServed = 0
  /// Fetches that ended in an error.
  public var failures = 0

  /// Bodies that were written to files, and their bytes.
  public var bodiesWritten = 0
  public var bodyBytesWritten = 0
  /// Flushes of what is known of entries, and the entries that they wrote.
  public var flushes = 0
  public var entriesFlushed = 0
  /// What could not be written.
  public var failedWrites = 0

  public var sweeps = 0
  /// Entries that sweeps removed.
  public var sweptEntries = 0
  /// Entries that had to leave for the limit on bytes in files.
  public var evictedEntries = 0
  /// Bodies that were not what was written, and were removed.
  public var damagedBodies = 0

  public init() {}
}
