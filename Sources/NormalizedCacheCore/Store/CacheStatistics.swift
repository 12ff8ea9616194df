/// What a store has counted since it was made.
public struct CacheStatistics: Sendable, Hashable {
  /// Reads of queries and of single entities that the app made for its user, and those of them that
  /// were served without waiting.
  public var reads = 0
  public var hits = 0

  /// Entities removed to make space.
  public var evictions = 0
  /// Times that the admission turned away what arrived, as worth less than what would have had to go;
  /// what a query came to retain by the same change was kept nevertheless.
  public var rejections = 0
  /// Times that a limit was exceeded because everything was retained.
  public var retainedOverflow = 0
  /// Queries dropped to keep the limit on queries.
  public var queriesEvicted = 0
  /// Entities handed to readers, members of query results included.
  public var entityAccesses = 0

  /// Events applied, and the items in them that changed something.
  public var eventsApplied = 0
  public var itemsApplied = 0
  /// Items that were older than what the cache, or a tombstone, knew.
  public var itemsSuperseded = 0
  /// Items that could not be decoded.
  public var itemsUndecodable = 0
  /// Events that had been applied, or were waiting, already.
  public var duplicatesIgnored = 0

  /// Gaps that stayed open beyond the reorder window.
  public var gapsDetected = 0
  /// Gaps that the missing events closed within the reorder window.
  public var gapsHealed = 0
  /// Gaps whose reconcile brought nothing that was missing.
  public var redundantReconciles = 0
  /// Times that missed events were asked for, whether or not the request left.
  public var reconciles = 0
  /// Times that a whole library was marked stale: new epoch, too old, or by choice.
  public var resyncs = 0

  /// Queries marked stale by what happened to their members.
  public var queriesMarkedStale = 0
  public var notifications = 0

  public var peakResidentEntities = 0
  public var peakResidentWeight = 0
  public var peakQueries = 0
  /// The most of what limits count that was in use at the end of a commit.
  public var peakUse = LimitUse()

  @inlinable public init() {}
}
