/// One value of one metric: a row of the tidy CSV.
public struct ResultRow: Hashable, Sendable {
  public var scenario: String
  /// The preset or policy; `recorded` for an app's own log; empty if there is none (a control, a machine).
  public var policy: String
  /// `nil` for a row over several seeds.
  public var seed: UInt64?
  /// The class of observations.
  public var `class`: ResultClass
  public var metric: Metric
  /// One of the metric's statistics.
  public var statistic: Statistic
  /// `nil` if it could not be measured: empty in CSV, an error in a gate, never a zero.
  ///
  /// A `nil` with a sample count of 0 means that there was nothing to observe.
  public var value: MetricValue?
  /// The number of observations behind the value, if applicable.
  public var sampleCount: Int?
  public var confidenceInterval: ClosedRange<Double>?

  public init(
    scenario: String, policy: String, seed: UInt64?, class: ResultClass = .total, metric: Metric,
    statistic: Statistic = .value, value: MetricValue?, sampleCount: Int? = nil,
    confidenceInterval: ClosedRange<Double>? = nil
  ) {
    self.scenario = scenario
    self.policy = policy
    self.seed = seed
    self.class = `class`
    self.metric = metric
    self.statistic = statistic
    self.value = value
    self.sampleCount = sampleCount
    self.confidenceInterval = confidenceInterval
  }
}

extension ResultRow {
  /// The policy column of an app's own cache, from its log: not a simulated policy.
  package static let recordedPolicy = "recorded"
}

/// A value that keeps whole numbers exact; a ratio is a double printed so that parsing it gives the same
/// bits.
public enum MetricValue: Hashable, Sendable {
  case integer(Int64)
  case real(Double)

  public var asDouble: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }
}

/// The columns that identify the same measurement in two runs.
public struct ResultIdentity: Hashable, Sendable, CustomStringConvertible {
  public let scenario: String
  public let policy: String
  public let seed: UInt64?
  public let `class`: ResultClass
  public let metric: Metric
  public let statistic: Statistic

  /// The name of the row in a gate's report.
  public var description: String {
    let owner = policy.isEmpty ? scenario : "\(scenario)/\(policy)"
    let seed = seed.map { " seed \($0)" } ?? ""
    return "\(owner)\(seed) \(`class`): \(metric.name) \(statistic.rawValue)"
  }
}

extension ResultRow {
  public var identity: ResultIdentity {
    ResultIdentity(
      scenario: scenario, policy: policy, seed: seed, class: self.class, metric: metric,
      statistic: statistic)
  }
}

/// The version of the row schema: columns, metric meanings and class names together.
public enum ResultSchema {
  /// Increased whenever an old row no longer has the same meaning; a gate rejects a baseline of another
  /// version.
  public static let version = 3
}

extension Collection {
  /// Returns the distinct values of a part of the elements, in the order of their first element: the order of
  /// scenarios, policies and classes in reports.
  package func distinct<Part: Hashable>(_ part: (Element) -> Part) -> [Part] {
    var seen: Set<Part> = []
    return map(part).filter { seen.insert($0).inserted }
  }
}
