/// What a metric is, said once in its family and referred to as `.hitRatio` wherever rows are made,
/// chosen, judged or shown.
///
/// Immutable; two are the same if their names are. Exporters, gates and documentation read the rest.
public final class Metric: Hashable, Sendable {
  /// Flat snake-case name, unique in the registry.
  public let name: String
  public let unit: MetricUnit
  public let polarity: Polarity
  public let noiseClass: NoiseClass
  /// The statistics in which the metric may be reported, in the order in which reports list them.
  public let statistics: [Statistic]
  /// Whether it is counted by the class of the reads, and so also for all of them together.
  public let isOfReads: Bool
  /// Whether it cannot be told from what an app saw alone.
  public let needsGroundTruth: Bool
  /// One sentence: what is counted, over what.
  public let definition: String
  /// What it must not be compared with, where that is tempting.
  public let notComparableWith: String?
  /// The metric that shows the machine's own noise beside this one; set for `slo` metrics only.
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
