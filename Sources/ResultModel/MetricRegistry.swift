/// Every metric, in the order in which reports list them.
public enum MetricRegistry {
  public static let all: [Metric] =
    outcomes + staleness + waiting + transfer + notifications + consistency + residency
    + relaunching + writing + activity
    + latency
    + memory + throughput + soak + alternatives

  /// What becomes of what users change.
  public static var ofWrites: [Metric] { writing }

  /// The metric of that name; O(1).
  public static func named(_ name: String) -> Metric? {
    byName[name]
  }

  // Looked up, never iterated: the order of a dictionary must not reach a result.
  private static let byName: [String: Metric] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}
