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
