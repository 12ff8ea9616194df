package import EvictionPolicies

/// The result of replaying one trace against one policy at one capacity.
package struct ReplayRow: Hashable, Sendable {
  package var trace: String
  package var policy: String
  /// In entities.
  package var capacity: Int
  package var counts: ReplayCounts

  package init(trace: String, policy: String, capacity: Int, counts: ReplayCounts) {
    self.trace = trace
    self.policy = policy
    self.capacity = capacity
    self.counts = counts
  }

  /// Hits per request, 0 to 1; `nil` where nothing was requested.
  package var hitRatio: Double? {
    counts.requests == 0 ? nil : Double(counts.hits) / Double(counts.requests)
  }

  /// The columns of a table of rows, in order.
  package static let columns = [
    "trace", "policy", "capacity", "requests", "hits", "misses", "hit_ratio", "evictions",
  ]

  /// One cell per column, not yet quoted for any format; empty where there is no value.
  package var cells: [String] {
    [
      trace, policy, String(capacity), String(counts.requests), String(counts.hits),
      String(counts.misses), hitRatio.map { "\($0)" } ?? "", String(counts.evictions),
    ]
  }
}
