public import CacheModel

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
  public var overLimit: Double? {
    peakShare(of: composition.capacity, maximumQueries: composition.maximumQueries)
  }

  /// The largest share of limits that was in use, as ``overLimit`` has it, of limits that the cache did
  /// not keep itself.
  ///
  /// - Parameters:
  ///   - capacity: limits; of memory only where the cache has one of its own, since what no limit asks
  ///     for is not counted.
  ///   - maximumQueries: the most queries.
  /// - Returns: `nil` where these are no limits.
  package func peakShare(of capacity: Capacity, maximumQueries: Int?) -> Double? {
    let use = statistics.peakUse
    let shares = [
      (use.entities, capacity.entities), (use.weight, capacity.bytes),
      (use.memory, composition.capacity.memory == nil ? nil : capacity.memory),
      (use.queries, maximumQueries),
    ].compactMap { used, limit in limit.map { Self.share(used, of: $0) } }
    return shares.max()
  }

  private static func share(_ used: Int, of limit: Int) -> Double {
    limit > 0 ? Double(used) / Double(limit) : used > 0 ? Double(1 + used) : 0
  }
}
