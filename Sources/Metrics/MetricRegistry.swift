/// Every metric, in the order in which reports list them.
public enum MetricRegistry {
  public static let all: [MetricDescriptor] = simulation

  public static func named(_ name: String) -> MetricDescriptor? {
    all.first { $0.name == name }
  }

  private static let simulation: [MetricDescriptor] = []
}
