/// What a metric is, said once; exporters, gates and documentation read it.
public struct MetricDescriptor: Hashable, Sendable {
  /// Flat snake-case name, unique in the registry.
  public let name: String
  public let unit: MetricUnit
  public let polarity: Polarity
  public let noiseClass: NoiseClass
  /// The statistics in which the metric may be reported, in the order in which reports list them.
  public let statistics: [Statistic]
  /// One sentence: what is counted, over what.
  public let definition: String
  /// What it must not be compared with, where that is tempting.
  public let notComparableWith: String?
  /// The metric that shows the machine's own noise beside this one; set for `slo` metrics only.
  public let noiseControl: String?

  public init(
    name: String, unit: MetricUnit, polarity: Polarity, noiseClass: NoiseClass,
    statistics: [Statistic] = [.value], definition: String, notComparableWith: String? = nil,
    noiseControl: String? = nil
  ) {
    self.name = name
    self.unit = unit
    self.polarity = polarity
    self.noiseClass = noiseClass
    self.statistics = statistics
    self.definition = definition
    self.notComparableWith = notComparableWith
    self.noiseControl = noiseControl
  }

  /// Whether a row may carry this word in its `statistic` column.
  public func allows(statistic: String) -> Bool {
    statistics.contains { $0.rawValue == statistic }
  }
}

public enum MetricUnit: String, Hashable, Sendable, CaseIterable {
  case count
  case ratio
  /// How many times as much, as of two durations.
  case factor
  case bytes
  case nanoseconds
  case perSecond = "per_second"
  case bytesPerEntity = "bytes_per_entity"
}

/// Which direction is better.
public enum Polarity: String, Hashable, Sendable, CaseIterable {
  case higherIsBetter = "higher_is_better"
  case lowerIsBetter = "lower_is_better"
  /// Describes the run; neither direction is better, but a change is worth knowing.
  case neutral
}

/// How much a metric moves between two runs of the same code, which decides how a gate treats it.
public enum NoiseClass: String, Hashable, Sendable, CaseIterable {
  /// Same seed, same value, on any machine: compared for equality.
  case exact
  /// Bytes, allocations, instructions: repeat to a tenth of a percent.
  case counted
  /// Wall clock: only compared within one interleaved run.
  case sampled
  /// An absolute target, judged beside the machine's own noise.
  case slo
}
