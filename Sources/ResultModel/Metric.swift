/// The definition of a metric, stated once in its family and referred to as `.hitRatio` wherever rows are
/// created, selected, judged or shown.
///
/// Immutable; metrics with the same name are equal. Exporters, gates and documentation read the rest.
public final class Metric: Hashable, Sendable {
  /// The flat snake-case name, unique in the registry.
  public let name: String
  public let unit: MetricUnit
  public let polarity: Polarity
  public let noiseClass: NoiseClass
  /// The statistics in which the metric may be reported, in the order of reports.
  public let statistics: [Statistic]
  /// Whether it is counted by class of reads, and so also for all of them together.
  public let isOfReads: Bool
  /// Whether it cannot be derived from an app's own observations alone.
  public let needsGroundTruth: Bool
  /// One sentence that defines what is counted, and over what.
  public let definition: String
  /// Values that it must not be compared with, despite the temptation.
  public let notComparableWith: String?
  /// The metric that measures the machine's noise for this one; for `slo` metrics only.
  public let noiseControl: Metric?

  init(
    name: String, unit: MetricUnit, polarity: Polarity, noiseClass: NoiseClass,
    statistics: [Statistic] = [.value], isOfReads: Bool = false, needsGroundTruth: Bool = false,
    definition: String, notComparableWith: String? = nil, noiseControl: Metric? = nil
  ) {
    self.name = name
    self.unit = unit
    self.polarity = polarity
    self.noiseClass = noiseClass
    self.statistics = statistics
    self.isOfReads = isOfReads
    self.needsGroundTruth = needsGroundTruth
    self.definition = definition
    self.notComparableWith = notComparableWith
    self.noiseControl = noiseControl
  }

  public static func == (first: Metric, second: Metric) -> Bool { first.name == second.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Metric: CustomStringConvertible {
  public var description: String { name }
}

public enum MetricUnit: String, Hashable, Sendable, CaseIterable {
  case count
  case ratio
  /// A factor, as between two durations.
  case factor
  case bytes
  case nanoseconds
  case perSecond = "per_second"
  case bytesPerEntity = "bytes_per_entity"
}

/// The direction that is better.
public enum Polarity: String, Hashable, Sendable, CaseIterable {
  case higherIsBetter = "higher_is_better"
  case lowerIsBetter = "lower_is_better"
  /// Describes the run; neither direction is better, but a change is relevant.
  case neutral
}

/// How much a metric varies between runs of the same code, which determines how a gate compares it.
public enum NoiseClass: String, Hashable, Sendable, CaseIterable {
  /// The same seed gives the same value on any machine: compared for equality.
  case exact
  /// Bytes, allocations, instructions: repeatable within a tenth of a percent.
  case counted
  /// Wall-clock time: compared only within one interleaved run.
  case sampled
  /// An absolute target, judged together with the machine's noise.
  case slo
}

/// All metrics, in the order of reports.
public enum MetricRegistry {
  public static let all: [Metric] =
    outcomes + staleness + waiting + transfer + notifications + consistency + residency
    + relaunching + writing + activity
    + latency
    + memory + throughput + soak + alternatives

  /// Returns the metric with this name; O(1).
  public static func named(_ name: String) -> Metric? {
    byName[name]
  }

  // Looked up, never iterated: the order of a dictionary must not reach a result.
  private static let byName: [String: Metric] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

/// How a value is computed from observations; the raw value is the word in the `statistic` column.
public enum Statistic: String, Hashable, Sendable, CaseIterable {
  /// The metric has one value per run and class.
  case value
  /// The maximum of a quantity during the run.
  case peak
  /// The mean: over samples, or over virtual time for a quantity with a value at every instant.
  case mean
  case p50
  case p90
  case p95
  case p99
  case p999 = "p99.9"
  /// The maximum sample.
  case max
  /// The bounds for values that a recording leaves open.
  case lower
  case upper

  /// The share of samples at or below the statistic, in ten-thousandths; `nil` for other statistics than
  /// quantiles.
  public var tenThousandths: Int? {
    switch self {
    case .p50: 5_000
    case .p90: 9_000
    case .p95: 9_500
    case .p99: 9_900
    case .p999: 9_990
    case .max: 10_000
    case .value, .peak, .mean, .lower, .upper: nil
    }
  }

  /// The minimum number of samples for a quantile of wall-clock times.
  ///
  /// Ten are beyond it: p99.9 takes 10,000 and p99 takes 1,000. A quantile of a whole population, as in a
  /// simulation, needs no minimum.
  public var fewestSamples: Int {
    guard let share = tenThousandths, share < 10_000 else { return 1 }
    return 100_000 / (10_000 - share)
  }
}
