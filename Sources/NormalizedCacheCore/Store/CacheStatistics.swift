public import CacheModel

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

extension CacheStatistics {
  /// What adds up.
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

  /// What was counted since; peaks are those of the whole time.
  package static func - (later: Self, earlier: Self) -> Self {
    var difference = later
    for path in counts { difference[keyPath: path] -= earlier[keyPath: path] }
    return difference
  }

  /// Adds what another store counted; peaks are the highest of one store.
  ///
  /// The use of limits stays this one's, since stores may have different limits.
  package mutating func add(_ other: Self) {
    for path in Self.counts { self[keyPath: path] += other[keyPath: path] }
    for path in Self.peaks { self[keyPath: path] = max(self[keyPath: path], other[keyPath: path]) }
  }
}

/// The most of what limits count that was in use at the end of a commit.
public struct LimitUse: Sendable, Hashable {
  public var entities = 0
  public var weight = 0
  /// Queries, as far as the limit holds for them: beyond it observed ones alone do not count.
  public var queries = 0
  /// Predicted bytes of memory; 0 where memory is not limited.
  public var memory = 0

  @inlinable public init() {}
}

/// What a limit of a cache counts, in a word of reports.
package enum CacheLimit: String, Sendable, Hashable {
  case entities, bytes, memory, queries
}

/// How much of a limit was in use.
package struct LimitShare: Sendable, Hashable {
  package var share: Double
  /// `nil` where the cache tells the share alone, or where there is no limit.
  package var limit: CacheLimit?

  package init(_ share: Double, of limit: CacheLimit?) {
    self.share = share
    self.limit = limit
  }

  /// That of a cache without limits.
  package static let unlimited = LimitShare(0, of: nil)

  /// The larger of two, the first of equals.
  package func larger(_ other: LimitShare) -> LimitShare { other.share > share ? other : self }
}

extension CacheStore {
  /// Notes at the end of a commit what is in use; O(1).
  @inlinable mutating func noteLimitUse() {
    statistics.peakUse.entities = max(statistics.peakUse.entities, entities.residentCount)
    statistics.peakUse.weight = max(statistics.peakUse.weight, entities.residentWeight)
    var counted = queries.count
    // What is observed may go beyond the limit.
    if queries.leastRecentlyUsed == nil {
      counted = min(counted, composition.maximumQueries ?? .max)
    }
    statistics.peakUse.queries = max(statistics.peakUse.queries, counted)
    if limits.countsMemory {
      statistics.peakUse.memory = max(statistics.peakUse.memory, predictedBytesNow)
    }
  }

  /// The largest share of any limit that was in use at the end of a commit; `nil`: there is no limit.
  ///
  /// The limit counts, not its watermark. More than 1 is more than the limit; of a limit of 0, what is in
  /// use counts as so many times more.
  public var overLimit: Double? { fullestLimit?.share }

  /// The limit behind ``overLimit``; `nil`: there is no limit.
  package var fullestLimit: LimitShare? {
    peakShare(of: composition.capacity, maximumQueries: composition.maximumQueries)
  }

  /// The largest share of limits that was in use, as ``overLimit`` has it, of limits that the cache did
  /// not keep itself.
  ///
  /// - Returns: `nil` where these are no limits.
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
