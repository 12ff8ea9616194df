import ResultModel
import Testing

@Suite("Which direction is better")
struct PolarityTests {
  /// What a user or an operator wants more of.
  private static let better: Set<Metric> = [
    .hitFresh, .hitRatio, .freshHitRatio, .coldStartHitRatio, .offlineHitRatio,
    .memoryHits, .bytesSaved,
    .updateToNotifyWithinTarget,
    .serverToUIWithinTarget,
    .entityAccessesPerSecond, .operationsPerSecond, .cacheOperationsPerSecond,
    .isCostFlat,
    // A peer's time over that of the cache under test.
    .applyRatio, .notifyRatio, .eventCostRatio,
  ]

  /// What describes a run: as much as the workload, the policy or the network makes it.
  private static let neutral: Set<Metric> = [
    .reads, .coalesced, .bypass, .notModified, .bytesPushed, .notifications,
    .notificationsUseful, .gapsDetected, .reconciles, .residentEntities, .cachedQueries,
    .overLimit, .evictions, .admissionRejections, .relaunches, .entityAccesses, .eventsApplied,
    .eventItemsApplied, .duplicatesIgnored, .achievedEventsPerSecond,
    .soakDuration, .soakEventsPerSecond, .soakEvents,
    .soakEventsLost, .soakEventsLate, .soakEventsDuplicated, .soakGaps,
    .soakReconciles, .soakResyncs, .soakNotifications, .soakViewsChecked,
    .measuredHitRatio, .writes, .writesRefused, .diskHits,
  ]

  @Test("Of all that is not wanted or neutral, less is better", arguments: MetricRegistry.all)
  func polarity(metric: Metric) {
    let expected: Polarity =
      Self.better.contains(metric)
      ? .higherIsBetter : Self.neutral.contains(metric) ? .neutral : .lowerIsBetter
    #expect(metric.polarity == expected, "\(metric.name)")
  }
}
