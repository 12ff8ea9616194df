import Analysis
import ArgumentParser
import CacheModel
import CacheSimulation
import Metrics
import Reporting
import Workloads

struct TuneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Try a grid of cache settings, and print those that nothing else beats.",
    discussion: """
      The first column marks the Pareto front: settings that no other beats in every objective.

      EXAMPLE
        tidemark tune file-browser --vary capacity-entities=1000..20000 --vary eviction-order=lru,sieve
      """)

  @Argument(
    help: ArgumentHelp("Names in Scenarios/, or paths of scenario files.", valueName: "SCENARIO"))
  var scenarios: [String]

  @Option(
    help: ArgumentHelp(
      "A field of the cache section and its values: a list, or a range for numbers. Repeatable.",
      valueName: "FIELD=a,b,c|a..b"))
  var vary: [String]

  @Option(help: "How many values a range is cut into.")
  var steps = 8

  @Option(
    help: ArgumentHelp(
      "Metrics to weigh, separated by commas, each with a statistic where it has several.",
      valueName: "METRIC[:STATISTIC],…"))
  var objective = "fresh_hit_ratio,resident_weight:peak,bytes_fetched"

  @OptionGroup var policies: PolicyNames

  @Option(help: "The seed of all random numbers; default: the scenario's.")
  var seed: UInt64?

  @OptionGroup var result: ResultOutput

  /// More settings than this take hours.
  private static let settingLimit = 10_000

  func run() async throws {
    guard (2...1_000).contains(steps) else {
      throw CommandFailure(.input, "--steps is \(steps); give 2 to 1000")
    }
    let objectives = try objective.split(separator: ",").map { try Objective(String($0)) }
    try OutputFile.check(result.output)
    let axes = try vary.map { try GridAxis($0, steps: steps) }
    let files = try ScenarioFile.load(scenarios)
    var trials: [Trial] = []
    for file in files {
      let simulation = Simulation(of: Workload.generate(file.scenario, seed: seed))
      for setting in GridAxis.product(of: axes, limit: Self.settingLimit) {
        var varied = file
        varied.scenario.cache = try setting.reduce(file.scenario.cache) {
          try $0.setting(field: $1.field, to: $1.value, vocabulary: .all)
        }
        let label = setting.map { "\($0.field)=\($0.value)" }.joined(separator: " ")
        // A bound ignores the cache section, so one trial of it says all.
        for contestant in try varied.contestants(policies.names)
        where !PolicyEntry.bounds.contains(contestant.name) {
          trials.append(
            Trial(
              simulation: simulation,
              contestant: Contestant(
                name: "\(contestant.name) \(label)", composition: contestant.composition)))
        }
      }
    }
    guard trials.count <= Self.settingLimit else {
      throw CommandFailure(
        .input, "\(trials.count) settings are more than \(Self.settingLimit); vary less")
    }
    let progress = Progress("tune")
    let count = trials.count
    let batch = try await SimulationBatch.run(trials.map { ($0.simulation, $0.contestant) }) {
      progress.report("\($0) of \(count) settings")
    }
    progress.end()
    try result.write(batch.rows) {
      TuningTable(objectives: objectives).text(batch.rows, style: Console.style)
    }
  }

  private struct Trial {
    var simulation: Simulation
    var contestant: Contestant
  }
}

/// One field of the cache section and the values to try.
struct GridAxis {
  var field: String
  var values: [String]

  init(_ text: String, steps: Int) throws {
    guard let equals = text.firstIndex(of: "="), text.index(after: equals) < text.endIndex else {
      throw CommandFailure(
        .input, "--vary \(text): not a field with values; write FIELD=a,b,c or FIELD=a..b")
    }
    field = String(text[..<equals])
    let values = String(text[text.index(after: equals)...])
    guard let known = CacheField.named(field) else {
      let suggestion = Suggestion.text(for: field, among: CacheField.all.map(\.name))
      throw CommandFailure(.input, "--vary \(text): no field of that name; \(suggestion)")
    }
    self.values =
      known.isNumeric && values.contains("..")
      ? try known.grid(values, steps: steps) : values.split(separator: ",").map(String.init)
  }

  /// Every combination of one value of each axis, the last axis fastest; at most `limit` and one.
  static func product(
    of axes: [GridAxis], limit: Int
  ) -> [[(field: String, value: String)]] {
    axes.reduce([[]]) { settings, axis in
      Array(
        settings.lazy.flatMap { setting in
          axis.values.map { setting + [(axis.field, $0)] }
        }.prefix(limit + 1))
    }
  }
}

/// A metric that a setting is judged by.
struct Objective {
  var metric: MetricDescriptor
  var statistic: Statistic

  /// Reads `metric` or `metric:statistic`.
  init(_ text: String) throws(CommandFailure) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard let metric = parts.first.flatMap({ MetricRegistry.named($0) }) else {
      throw CommandFailure(
        .input, "--objective \(text): no such metric; `tidemark list metrics` names them")
    }
    guard metric.polarity != .neutral, metric.noiseClass == .exact else {
      throw CommandFailure(
        .input, "--objective \(text): not an exact metric with a better direction")
    }
    let statistic = parts.count == 2 ? Statistic(rawValue: parts[1]) : metric.statistics.first
    guard let statistic, metric.allows(statistic: statistic.rawValue) else {
      let known = metric.statistics.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.input, "--objective \(text): its statistics are \(known)")
    }
    self.metric = metric
    self.statistic = statistic
  }

  func value(of policy: String, in rows: [ResultRow]) -> MetricValue? {
    rows.first {
      $0.policy == policy && $0.class == "total" && $0.metric == metric.name
        && $0.statistic == statistic.rawValue
    }?.value
  }
}

/// The settings of a scenario beside each other, with the Pareto front marked.
struct TuningTable {
  var objectives: [Objective]

  func text(_ rows: [ResultRow], style: TextStyle) -> String {
    rows.distinct(\.scenario).map { scenario in
      style.paint(scenario, .strong) + "\n"
        + table(rows.filter { $0.scenario == scenario }).terminal(style: style, indent: 2)
        + "  * on the Pareto front\n"
    }.joined(separator: "\n")
  }

  private func table(_ rows: [ResultRow]) -> TextTable {
    // A setting that lacks a figure cannot be weighed; its row is shown without a mark.
    let points = rows.distinct(\.policy).map { policy in
      (setting: policy, values: objectives.map { $0.value(of: policy, in: rows) })
    }
    let complete = points.indices.filter { !points[$0].values.contains(nil) }
    let front = ParetoFront.indices(
      of: complete.map { points[$0].values.compactMap { $0?.asDouble } },
      objectives: objectives.map(\.metric.polarity))
    let marked = Set(front.map { complete[$0] })
    var table = TextTable(
      columns: [.init(""), .init("setting")] + objectives.map { .init($0.metric.name, .right) })
    for (index, point) in points.enumerated() {
      let tone: Tone = marked.contains(index) ? .good : .plain
      table.append(
        [.init(marked.contains(index) ? "*" : "", tone: tone), .init(point.setting, tone: tone)]
          + zip(point.values, objectives).map {
            .init(HumanNumber.text($0, unit: $1.metric.unit), tone: tone)
          })
    }
    return table
  }
}
