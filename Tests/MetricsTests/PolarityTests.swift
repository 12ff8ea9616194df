import Metrics
import Testing

@Suite("Which direction is better")
struct PolarityTests {
  /// What a user or an operator wants more of.
  private static let better: Set = [
    "hit_fresh", "hit_ratio", "fresh_hit_ratio", "bytes_saved", "share_within_target",
    "highest_met_events_per_second", "lowest_missed_events_per_second",
    "entity_accesses_per_second", "operations_per_second", "cache_operations_per_second",
    "is_cost_flat", "soak_saturation_events_per_second", "soak_sustained_events_per_second",
    // A peer's time over that of the cache under test.
    "apply_ratio", "notify_ratio", "event_cost_ratio",
  ]

  /// What describes a run: as much as the workload, the policy or the network makes it.
  private static let neutral: Set = [
    "reads", "coalesced", "bypass", "not_modified", "bytes_pushed", "notifications",
    "notifications_useful", "gaps_detected", "reconciles", "resident_entities", "cached_queries",
    "over_limit", "evictions", "admission_rejections", "entity_accesses", "events_applied",
    "event_items_applied", "duplicates_ignored", "replayed_events", "achieved_events_per_second",
    "resumed_events", "observer_blocks", "soak_duration", "soak_events_per_second", "soak_events",
    "soak_events_lost", "soak_events_late", "soak_events_duplicated", "soak_gaps",
    "soak_reconciles", "soak_resyncs", "soak_notifications", "soak_views_checked",
    "measured_hit_ratio",
  ]

  @Test("Of all that is not wanted or neutral, less is better", arguments: MetricRegistry.all)
  func polarity(metric: MetricDescriptor) {
    let expected: Polarity =
      Self.better.contains(metric.name)
      ? .higherIsBetter : Self.neutral.contains(metric.name) ? .neutral : .lowerIsBetter
    #expect(metric.polarity == expected, "\(metric.name)")
  }

  @Test("Every name is of a metric")
  func names() {
    for name in Self.better.union(Self.neutral).sorted() {
      #expect(MetricRegistry.named(name) != nil, "\(name)")
    }
  }
}
