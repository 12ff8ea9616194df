import NormalizedCache
import Testing

@Suite("Sums of what stores have counted")
struct CacheStatisticsTests {
  private static var paths: [(label: String, path: WritableKeyPath<CacheStatistics, Int>)] {
    [
      ("reads", \.reads), ("hits", \.hits), ("evictions", \.evictions),
      ("rejections", \.rejections), ("retainedOverflow", \.retainedOverflow),
      ("queriesEvicted", \.queriesEvicted), ("entityAccesses", \.entityAccesses),
      ("eventsApplied", \.eventsApplied), ("itemsApplied", \.itemsApplied),
      ("itemsSuperseded", \.itemsSuperseded), ("itemsUndecodable", \.itemsUndecodable),
      ("duplicatesIgnored", \.duplicatesIgnored), ("gapsDetected", \.gapsDetected),
      ("gapsHealed", \.gapsHealed), ("redundantReconciles", \.redundantReconciles),
      ("reconciles", \.reconciles), ("resyncs", \.resyncs),
      ("queriesMarkedStale", \.queriesMarkedStale), ("notifications", \.notifications),
      ("peakResidentEntities", \.peakResidentEntities),
      ("peakResidentWeight", \.peakResidentWeight), ("peakQueries", \.peakQueries),
    ]
  }

  /// Each count is this much, and as much more as its place.
  private static func statistics(_ base: Int) -> CacheStatistics {
    var statistics = CacheStatistics()
    for (place, entry) in paths.enumerated() { statistics[keyPath: entry.path] = base + place }
    return statistics
  }

  @Test("Nothing that is counted is forgotten here")
  func complete() {
    let fields = Mirror(reflecting: CacheStatistics()).children.compactMap(\.label)
    #expect(Set(Self.paths.map(\.label) + ["peakUse"]) == Set(fields))
  }

  @Test("A difference is of every count; peaks stay those of the whole time")
  func difference() {
    let difference = Self.statistics(1_000) - Self.statistics(900)
    for (place, entry) in Self.paths.enumerated() {
      let expected = entry.label.hasPrefix("peak") ? 1_000 + place : 100
      #expect(difference[keyPath: entry.path] == expected, "\(entry.label)")
    }
  }

  @Test("A sum is of every count; a peak is the highest of one store, whichever it is")
  func sum() {
    var sum = Self.statistics(1_000)
    sum.add(Self.statistics(200))
    var other = Self.statistics(200)
    other.add(Self.statistics(1_000))
    #expect(sum == other)
    for (place, entry) in Self.paths.enumerated() {
      let expected = entry.label.hasPrefix("peak") ? 1_000 + place : 1_200 + 2 * place
      #expect(sum[keyPath: entry.path] == expected, "\(entry.label)")
    }
  }
}
