public import CacheModel

/// The counts of a store since its creation.
public struct CacheStatistics: Sendable, Hashable {
  /// Reads of queries and entities by the app for its user, and the number served without waiting.
  public var reads = 0
  public var hits = 0

  /// Entities removed to make space.
  public var evictions = 0
  /// Arrivals rejected by the admission, as worth less than their victims; an entity that a query retained in
  /// the same commit was kept nevertheless.
  public var rejections = 0
  /// The number of times that a limit was exceeded because everything was retained.
  public var retainedOverflow = 0
  /// Queries removed to keep the limit on queries.
  public var queriesEvicted = 0
  /// Entities returned to readers, members of query results included.
  public var entityAccesses = 0

  /// Events applied, and the items in them that changed anything.
  public var eventsApplied = 0
  public var itemsApplied = 0
  /// Items older than the known version, or than a tombstone.
  public var itemsSuperseded = 0
  /// Items that could not be decoded.
  public var itemsUndecodable = 0
  /// Events that had already been applied, or were waiting.
  public var duplicatesIgnored = 0

  /// Gaps that stayed open beyond the reorder window.
  public var gapsDetected = 0
  /// Gaps closed by the missing events within the reorder window.
  public var gapsHealed = 0
  /// Gaps whose reconcile brought no missing event.
  public var redundantReconciles = 0
  /// Requests for missed events, whether or not they were sent.
  public var reconciles = 0
  /// The number of times that a whole library was marked stale: a new epoch, too old, or by choice.
  public var resyncs = 0

  /// Queries marked stale because of changes to their members.
  public var queriesMarkedStale = 0
  public var notifications = 0

  public var peakResidentEntities = 0
  public var peakResidentWeight = 0
  public var peakQueries = 0
  /// The peak use of each limited quantity at the end of a commit.
  public var peakUse = LimitUse()

  @inlinable public init() {}
}

extension CacheStatistics {
  private static var counts: [WritableKeyPath<CacheStatistics, Int>] {
    [
      \.reads, \.hits, \.evictions, \.rejections, \.retainedOverflow, \.queriesEvicted,
      \.entityAccesses, \.eventsApplied, \.itemsApplied, \.itemsSuperseded, \.itemsUndecodable,
      \.duplicatesIgnored, \.gapsDetected, \.gapsHealed, \.redundantReconciles, \.reconciles,
      \.resyncs, \.queriesMarkedStale, \.notifications,
    ]
  }

  private static var peaks: [WritableKeyPath<CacheStatistics, Int>] {
    [\.peakResidentEntities, \.peakResidentWeight, \.peakQueries]
  }

  /// The counts since an earlier moment; peaks are those of the whole time.
  package static func - (later: Self, earlier: Self) -> Self {
    var difference = later
    for path in counts { difference[keyPath: path] -= earlier[keyPath: path] }
    return difference
  }

  /// Adds the counts of another store; peaks are the highest of either store.
  ///
  /// The use of limits stays this one's, since stores may have different limits.
  package mutating func add(_ other: Self) {
    for path in Self.counts { self[keyPath: path] += other[keyPath: path] }
    for path in Self.peaks { self[keyPath: path] = max(self[keyPath: path], other[keyPath: path]) }
  }
}

/// The peak use of each limited quantity at the end of a commit.
public struct LimitUse: Sendable, Hashable {
  public var entities = 0
  public var weight = 0
  /// Queries that the limit applies to: beyond the limit, observed ones do not count.
  public var queries = 0
  /// Predicted bytes of memory; 0 if memory is not limited.
  public var memory = 0

  @inlinable public init() {}
}

/// A limited quantity of a cache, by its name in reports.
package enum CacheLimit: String, Sendable, Hashable {
  case entities, bytes, memory, queries
}

package struct LimitShare: Sendable, Hashable {
  package var share: Double
  /// `nil` if the cache reports only the share, or if there is no limit.
  package var limit: CacheLimit?

  package init(_ share: Double, of limit: CacheLimit?) {
    self.share = share
    self.limit = limit
  }

  /// The share of a cache without limits.
  package static let unlimited = LimitShare(0, of: nil)

  /// Returns the larger share, or the first if they are equal.
  package func larger(_ other: LimitShare) -> LimitShare { other.share > share ? other : self }
}

extension CacheStore {
  /// Records the use of limits at the end of a commit; O(1).
  @inlinable mutating func noteLimitUse() {
    statistics.peakUse.entities = max(statistics.peakUse.entities, entities.residentCount)
    statistics.peakUse.weight = max(statistics.peakUse.weight, entities.residentWeight)
    var counted = queries.count
    // Observed queries may exceed the limit.
    if queries.leastRecentlyUsed == nil {
      counted = min(counted, composition.maximumQueries ?? .max)
    }
    statistics.peakUse.queries = max(statistics.peakUse.queries, counted)
    if limits.countsMemory {
      statistics.peakUse.memory = max(statistics.peakUse.memory, predictedBytesNow)
    }
  }

  /// The largest used share of any limit at the end of a commit; `nil`: there is no limit.
  ///
  /// The limit counts, not its watermark. A share above 1 exceeds the limit; for a limit of 0 it is one more
  /// than the use.
  public var overLimit: Double? { fullestLimit?.share }

  /// The limit with the share ``overLimit``; `nil`: there is no limit.
  package var fullestLimit: LimitShare? {
    peakShare(of: composition.capacity, maximumQueries: composition.maximumQueries)
  }

  /// Returns the largest used share, as ``overLimit``, of limits that the cache did not enforce itself.
  ///
  /// - Returns: `nil` if there are no limits.
  package func peakShare(of capacity: Capacity, maximumQueries: Int?) -> LimitShare? {
    let use = statistics.peakUse
    let uses: [(limit: CacheLimit, used: Int, of: Int?)] = [
      (.entities, use.entities, capacity.entities), (.bytes, use.weight, capacity.bytes),
      (.memory, use.memory, composition.capacity.memory == nil ? nil : capacity.memory),
      (.queries, use.queries, maximumQueries),
    ]
    return uses.compactMap { limit, used, most in
      most.map { LimitShare(Self.share(used, of: $0), of: limit) }
    }.reduce(nil) { $0?.larger($1) ?? $1 }
  }

  private static func share(_ used: Int, of limit: Int) -> Double {
    limit > 0 ? Double(used) / Double(limit) : used > 0 ? Double(1 + used) : 0
  }
}
