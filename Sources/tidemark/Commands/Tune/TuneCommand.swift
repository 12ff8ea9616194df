import Analysis
import ArgumentParser
import Metrics
import Reporting
import Workloads

struct TuneCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions: Set = ["--vary"]

  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Try a grid of cache settings, and mark those that nothing else beats.",
    discussion: """
      The first column marks the Pareto front: settings that no other beats in every objective. In \
      csv and json that is on_front (yes, no, or equal: to an earlier row that is on it), and each \
      field has a column.

      EXAMPLES
        tidemark tune file-browser --vary capacity-entities=1000..20000 --vary eviction-order=lru,sieve
        tidemark simulate file-browser --policies lru --record session.jsonl
        tidemark tune session.jsonl --policies lru,ttl --vary capacity-bytes=1MB,4MB
      """)

  @Argument(
    help: ArgumentHelp(
      "Names in Scenarios/, paths of scenario files (.yaml), or recorded sessions (.jsonl).",
      valueName: "SCENARIO"))
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

  @Option(help: "The first seed of all random numbers; default: the scenario's.")
  var seed: UInt64?

  @Option(help: SeedCount.help)
  var seeds: SeedCount?

  @OptionGroup var result: ResultOutput

  /// More settings than this take hours.
  private static let settingLimit = 10_000

  func run() async throws {
    guard (2...1_000).contains(steps) else {
      throw CommandFailure(.input, "--steps is \(steps); give 2 to 1000")
    }
    let objectives = try Objective.all(objective)
    try OutputFile.check(result.output)
    let axes = try GridAxis.all(vary, steps: steps)
    let grid = axes.reduce(1) { min($0 * $1.values.count, Self.settingLimit + 1) }
    guard grid <= Self.settingLimit else {
      throw CommandFailure(
        .input, "--vary makes more than \(Self.settingLimit) settings; vary less")
    }
    let names = try policies.names()
    let sessions = try Session.load(
      scenarios, seed: seed, command: Self.configuration.commandName)
    let fields = try sessions.map { ($0, try settings(of: $0.file, axes, policies: names)) }
    if objectives.contains(where: \.needsFreshness) {
      for session in sessions where session.recordedTruth == .observed {
        Console.note(
          "\(session.name): weighed by hit_ratio in place of fresh_hit_ratio: what was fresh in the log "
            + "of an app is not known")
      }
    }
    for (session, tried) in fields {
      IgnoredField.all(of: axes, in: tried).forEach { Console.note($0.text(in: session.name)) }
    }
    let tried = fields.flatMap { $0.1 }
    guard tried.count <= Self.settingLimit else {
      throw CommandFailure(
        .input, "\(tried.count) settings are more than \(Self.settingLimit); vary less")
    }
    let progress = Progress("tune")
    let tuned = try await Verdicts.run(
      fields.map { session, tried in
        session.comparison(of: tried.map(\.contestant), seed: seed, seeds: seeds)
      }, isRobustnessAsked: false, progress: progress)
    progress.end()
    let logs = sessions.filter { $0.recordedTruth == .observed }.map(\.name)
    let table = TuningTable(
      objectives: { logs.contains($0) ? Objective.withoutFreshness(objectives) : objectives },
      fields: axes.map(\.field), settings: tried, rows: tuned.means,
      verdicts: tuned.verdicts)
    try result.write(table.plainRows, added: table.columns) { table.text(style: Console.style) }
  }

  /// Every policy under every setting.
  ///
  /// - Throws: ``CommandFailure`` where there is none, since every policy is a bound: a bound ignores
  ///   the cache section.
  private func settings(
    of file: ScenarioFile, _ axes: [GridAxis], policies: [String]
  ) throws -> [TunedSetting] {
    var settings: [TunedSetting] = []
    for values in GridAxis.product(of: axes, limit: Self.settingLimit) {
      var varied = file
      varied.scenario.cache = try zip(axes, values).reduce(file.scenario.cache) {
        try $0.setting(field: $1.0.field, to: $1.1, vocabulary: .all)
      }
      for contestant in try varied.contestants(policies)
      where !PolicyEntry.bounds.contains(contestant.name) {
        settings.append(
          TunedSetting(
            policy: contestant.name, fields: axes.map(\.field), values: values,
            composition: contestant.composition))
      }
    }
    guard !settings.isEmpty else {
      let bounds = PolicyEntry.bounds.joined(separator: ", ")
      throw CommandFailure(
        .input,
        "\(file.path): nothing to vary: the bounds (\(bounds)) ignore the cache section; name "
          + "another policy with --policies")
    }
    return settings
  }
}
