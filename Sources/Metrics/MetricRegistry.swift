/// Every metric, in the order in which reports list them.
public enum MetricRegistry {
  public static let all: [MetricDescriptor] =
    outcomes + staleness + waiting + transfer + notifications + consistency + residency + activity
    + latency
    + memory + throughput + soak + peers

  /// The metric of that name; O(1).
  public static func named(_ name: String) -> MetricDescriptor? {
    byName[name]
  }

  /// Whether a metric is counted by the class of the reads, and so also for all of them together.
  package static func isOfReads(_ name: String) -> Bool {
    (outcomes + staleness
      + waiting.filter { $0.name == "read_wait" || $0.name == "slow_read_share" })
      .contains { $0.name == name }
  }

  // Looked up, never iterated: the order of a dictionary must not reach a result.
  private static let byName: [String: MetricDescriptor] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}
