/// One value of one metric: a row of the tidy CSV.
public struct ResultRow: Hashable, Sendable {
  public var scenario: String
  /// The preset or policy; `recorded` for what a log says of itself; empty if none is meant
  /// (a control, a machine).
  public var policy: String
  /// `nil` for a row over several seeds.
  public var seed: UInt64?
  /// Which observations of the metric it is of.
  public var `class`: ResultClass
  public var metric: Metric
  /// One of the metric's.
  public var statistic: Statistic
  /// `nil` if it could not be measured: empty in CSV, an error in a gate, never a zero.
  ///
  /// A `nil` with a sample count of 0 says that there was nothing to observe, which is an answer.
  public var value: MetricValue?
  /// The number of observations behind the value, if that has a meaning.
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
  /// The name of the rows of an app's own cache, from its log: not a policy that was simulated.
  package static let recordedPolicy = "recorded"
}

/// A whole number stays one; a ratio is a double printed so that reading it back gives the same bits.
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

/// The columns by which two rows of two runs are the same measurement.
public struct ResultIdentity: Hashable, Sendable, CustomStringConvertible {
  public let scenario: String
  public let policy: String
  public let seed: UInt64?
  public let `class`: ResultClass
  public let metric: Metric
  public let statistic: Statistic

  /// The name by which a gate reports the row.
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
  /// Raised whenever an old row no longer means what it says; a gate refuses a baseline of another
  /// version.
  public static let version = 3
}

extension Collection {
  /// Each value of a part of the elements once, in the order of its first element: the order in which
  /// reports list scenarios, policies and classes.
  package func distinct<Part: Hashable>(_ part: (Element) -> Part) -> [Part] {
    var seen: Set<Part> = []
    return map(part).filter { seen.insert($0).inserted }
  }
}
