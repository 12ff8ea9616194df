import Analysis
import ArgumentParser
import CommandLineInterface
import ResultModel
import Workloads

/// The goal of a search, from the command line.
struct TuningRule: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Weigh these metrics, separated by commas, each with a statistic where it has several: the columns, \
      and the Pareto front. The first decides what is best; default: the scenario's `goal`.
      """,
      valueName: "METRIC[:STATISTIC],…"),
    completion: Completions.metrics)
  var objective: String?

  @Option(
    help: ArgumentHelp(
      "Keep this limit, such as 'predicted_bytes <= 5MB'. Repeatable.",
      valueName: "LIMIT"))
  var subjectTo: [String] = []

  @Option(
    help: ArgumentHelp(
      "Minimize a metric within the limits of --require.", valueName: "METRIC[:STATISTIC]"),
    completion: Completions.metrics)
  var minimize: String?

  @Option(
    help: ArgumentHelp(
      "Keep a limit while minimizing, such as 'fresh_hit_ratio >= 85%'. Repeatable.",
      valueName: "LIMIT"))
  var require: [String] = []

  static let usualObjectives = "fresh_hit_ratio,resident_weight:peak,bytes_fetched"

  /// Returns the figures shown, and used for the Pareto front.
  ///
  /// Where the goals of the scenarios decide, the figures of their limits are among them.
  func objectives(of inputs: [SimulationInput]) throws(CommandFailure) -> [Objective] {
    try Self.objectives(objective, minimize: minimize, limits: limits(), of: inputs)
  }

  /// Returns the figures by the texts of these options.
  static func objectives(
    _ objective: String?, minimize: String? = nil, limits: [GoalSection.Limit] = [],
    of inputs: [SimulationInput]
  ) throws(CommandFailure) -> [Objective] {
    var objectives = try Objective.all(objective ?? usualObjectives)
    let isTheirs = objective == nil && minimize == nil
    let own = isTheirs ? inputs.flatMap(\.file.scenario.goal.constraints) : []
    var wanted = (limits + own).map { Objective(metric: $0.metric, statistic: $0.statistic) }
    if let minimize { wanted.insert(try Objective(minimize, of: "--minimize"), at: 0) }
    for other in wanted
    where other.metric.polarity != .neutral && !objectives.contains(other) {
      objectives.append(other)
    }
    return objectives
  }

  func limits() throws(CommandFailure) -> [GoalSection.Limit] {
    guard minimize == nil || !require.isEmpty else {
      throw CommandFailure(.input, "--minimize requires --require")
    }
    guard require.isEmpty || minimize != nil else {
      throw CommandFailure(
        .input,
        "--require requires --minimize; write the limit as --subject-to to keep it otherwise")
    }
    var limits: [GoalSection.Limit] = []
    for (option, texts) in [("--subject-to", subjectTo), ("--require", require)] {
      for text in texts {
        do throws(ScenarioError) {
          limits.append(try GoalSection.Limit(text, of: option))
        } catch {
          throw CommandFailure(.input, "\(error)")
        }
      }
    }
    return limits
  }

  func rule(for input: SimulationInput) throws(CommandFailure) -> Goal {
    let own = try limits().map {
      Constraint(Figure($0.metric, $0.statistic), $0.comparison, $0.limit)
    }
    if let minimize {
      let metric = try Objective(minimize, of: "--minimize")
      return Goal(.minimise, Figure(metric.metric, metric.statistic), subjectTo: own)
    }
    return try Self.rule(objective, subjectTo: own, for: input)
  }

  /// Returns the goal by the text of `--objective`, or otherwise the scenario's own.
  static func rule(
    _ objective: String?, subjectTo own: [Constraint] = [], for input: SimulationInput
  ) throws(CommandFailure) -> Goal {
    guard let objective, let first = try Objective.all(objective).first else {
      return Goal(input.file.scenario.goal).subject(to: own)
    }
    return Goal(
      first.metric.polarity == .higherIsBetter ? .maximise : .minimise,
      Figure(first.metric, first.statistic), subjectTo: own)
  }
}

/// A metric by which settings are judged.
struct Objective: Hashable {
  var metric: Metric
  var statistic: Statistic

  /// Parses `metric` or `metric:statistic`.
  init(_ text: String, of option: String = "--objective") throws(CommandFailure) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard let metric = parts.first.flatMap({ MetricRegistry.named($0) }) else {
      throw CommandFailure(
        .input,
        "\(option) \(text): no such metric; "
          + MetricSuggestion.text(for: parts.first ?? "", among: MetricRegistry.all))
    }
    guard metric.polarity != .neutral, metric.noiseClass == .exact else {
      throw CommandFailure(
        .input,
        "\(option) \(text): no value of it is best; choose a metric that `tidemark list metrics` calls "
          + "exact, and better if higher or lower"
      )
    }
    let statistic = parts.count == 2 ? Statistic(rawValue: parts[1]) : metric.statistics.first
    guard let statistic, metric.statistics.contains(statistic) else {
      let known = metric.statistics.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.input, "\(option) \(text): its statistics are \(known)")
    }
    self.init(metric: metric, statistic: statistic)
  }

  init(metric: Metric, statistic: Statistic) {
    self.metric = metric
    self.statistic = statistic
  }

  /// Parses a list of them, without duplicates.
  static func all(_ text: String) throws(CommandFailure) -> [Objective] {
    var objectives: [Objective] = []
    for name in try NameList.names(in: text, of: "--objective", example: Metric.freshHitRatio.name)
    {
      let objective = try Objective(name)
      guard
        !objectives.contains(objective)
      else {
        throw CommandFailure(.input, "--objective: \(name) is given twice; give it once")
      }
      objectives.append(objective)
    }
    return objectives
  }

  /// Whether the log of an app bounds it only, since of some hits it is not known whether they were fresh.
  var isBounded: Bool { statistic == .value && metric.statistics.contains(.lower) }

  /// The objectives for the log of an app: both bounds of each that is bounded.
  static func bounds(_ objectives: [Objective]) -> [Objective] {
    objectives.flatMap { objective in
      objective.isBounded
        ? [Statistic.lower, .upper].map { Objective(metric: objective.metric, statistic: $0) }
        : [objective]
    }
  }

  /// Above its column.
  var title: String { isBound ? "\(metric.name) \(statistic.rawValue)" : metric.name }

  private var isBound: Bool { [.lower, .upper].contains(statistic) }

  func value(of policy: String, in rows: [ResultRow]) -> MetricValue? {
    func value(_ metric: Metric, _ statistic: Statistic) -> MetricValue? {
      rows.first {
        $0.policy == policy && $0.class == Figure(metric).class && $0.metric == metric
          && $0.statistic == statistic
      }?.value
    }
    if let value = value(metric, statistic) { return value }
    // An app's own cache has no bounds: if it is not known how many of its hits were fresh, all may have been.
    guard isBound else { return nil }
    return value(metric, .value)
      ?? (metric == .freshHitRatio && statistic == .upper ? value(.hitRatio, .value) : nil)
  }
}
