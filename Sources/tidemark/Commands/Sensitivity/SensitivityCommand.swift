import Analysis
import ArgumentParser
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

struct SensitivityCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions = CacheOptions.repeatable.union(["--vary"])

  static let configuration = CommandConfiguration(
    commandName: "sensitivity",
    abstract: "Vary the workload; find where the ranking flips.",
    discussion: """
      A field is named by its path in the scenario file: network.loss, users.NAME.think, \
      writers.NAME.burst.rate; an element of a list goes by its name, or its number from 0. One field \
      is varied at a time; where the best policy changes, the place is closed in by bisection. Its \
      interval reaches from where the one before stops to be ahead beyond doubt (paired 95 % on common \
      seeds) to where the other begins to be. Two changes between two points of one best policy are \
      not seen: ask for more points.

      EXAMPLES
        tidemark sensitivity flaky-network --vary network.loss=0%..60% --policies lru,spacedrive
        tidemark sensitivity file-browser --vary users.desktop.think=1s..60s \\
          --vary writers.laptop.rate=0.1/min..100/min --policies lru,ttl --method latin-hypercube
      """)

  /// How the points are chosen.
  enum Method: String, ExpressibleByArgument, CaseIterable {
    case oneAtATime = "one-at-a-time"
    case latinHypercube = "latin-hypercube"
  }

  @Argument(
    help: ArgumentHelp(
      "A name in Scenarios/, or the path of a scenario file.", valueName: "SCENARIO"))
  var scenario: String

  @Option(
    help: ArgumentHelp(
      """
      A field of the workload and its values: a list, or a range for numbers, in equal ratios \
      (linear:a..b: in equal steps). Repeatable.
      """,
      valueName: "PATH=a,b,c|a..b"))
  var vary: [String]

  @OptionGroup var contenders: ContenderOptions

  @Option(
    help: ArgumentHelp("What decides who is best.", valueName: "METRIC[:STATISTIC]"))
  var objective = Metric.freshHitRatio.name

  @Option(help: "one-at-a-time, or latin-hypercube: points spread over all fields.")
  var method = Method.oneAtATime

  @Option(help: "Points in each doubling of a range.")
  var pointsPerDoubling = 1

  @Option(help: "Points of a Latin hypercube.")
  var trials = 32

  @Option(
    help: "How closely a change is closed in: the range is cut into so many parts.")
  var resolution = 128

  @Option(help: "The first seed of all random numbers; default: the scenario's.")
  var seed: UInt64?

  @Option(help: "Common seeds of every point.")
  var seeds = 5

  @Option(
    help: ArgumentHelp(
      "Keep every run in a file, and take what is there: what was stopped goes on.",
      valueName: "FILE"))
  var journal: String?

  @OptionGroup var result: ResultOutput

  func run() async throws {
    try check()
    try OutputFile.check(result.output)
    guard
      let input = try contenders.caches.inputs([SimulationInput(ScenarioFile.load(scenario))])
        .first,
      let document = input.file.document
    else { return }
    let fields = try vary.map { try WorkloadField($0, in: document) }
    if let twice = fields.indices.first(where: { index in
      fields[..<index].contains { $0.path == fields[index].path }
    }) {
      throw CommandFailure(
        .input, "--vary \(fields[twice].path) is there twice; give all its values in one list")
    }
    let objective = try Objective(self.objective)
    let names = try input.file.contenders(try contenders.names()).map(\.name)
      .filter { !PolicyEntry.bounds.contains($0) }
    guard names.count > 1 else {
      throw CommandFailure(
        .input, "\(input.file.path): one policy has no ranking; name two with --policies")
    }
    let progress = ProgressLine("sensitivity")
    let study = SensitivityStudy(
      input: input, policies: names,
      figure: Figure(objective.metric, objective.statistic),
      direction: objective.metric.polarity == .higherIsBetter ? .maximise : .minimise,
      seeds: seeds, firstSeed: seed ?? input.file.scenario.seed,
      journal: try journal.map { try StudyJournal($0) }, progress: progress)
    switch method {
    case .oneAtATime: try await oneAtATime(fields, study)
    case .latinHypercube: try await latinHypercube(fields, study)
    }
  }

  private func check() throws(CommandFailure) {
    for (option, value, range) in [
      ("--seeds", seeds, 2...1_000), ("--points-per-doubling", pointsPerDoubling, 1...100),
      ("--trials", trials, 4...10_000), ("--resolution", resolution, 2...1_000_000),
    ] where !range.contains(value) {
      throw CommandFailure(
        .input, "\(option) is \(value); give \(range.lowerBound) to \(range.upperBound)")
    }
  }

  private func oneAtATime(_ fields: [WorkloadField], _ study: SensitivityStudy) async throws {
    var texts: [ResponseText] = []
    for field in fields {
      texts.append(
        ResponseText(
          response: try await study.response(
            to: field, perDoubling: pointsPerDoubling, resolution: 1 / Double(resolution)),
          study: study))
    }
    study.progress.end()
    let points = texts.flatMap { text in
      text.response.points.map { (path: text.response.field.path, point: $0.point) }
    }
    try result.write(
      points.flatMap(\.point.rows),
      added: AddedColumns(
        names: fields.map(\.path),
        cells: points.flatMap { path, point in
          point.rows.map { _ in fields.map { $0.path == path ? point.texts[0] : "" } }
        })
    ) {
      let style = Console.style
      return texts.map { style.paint("\(study.figure.name), \($0.sentence)", .strong) + "\n" }
        .joined() + "\n"
        + texts.map { $0.table.terminal(style: style, indent: 2) }.joined(separator: "\n")
    }
    if result.format != .table { texts.forEach { Console.note($0.sentence) } }
  }

  private func latinHypercube(_ fields: [WorkloadField], _ study: SensitivityStudy) async throws {
    let design = SearchDesign.latinHypercube(dimensions: fields.count, count: trials)
    let places = (0..<trials).map { design.point($0, seed: seed ?? 1) }
    let points = try await study.points(
      places.map { place in zip(fields, place).map { ($0.path, $0.text(at: $1)) } })
    study.progress.end()
    let text = SpreadText(fields: fields, places: places, points: points, study: study)
    try result.write(
      points.flatMap(\.rows),
      added: AddedColumns(
        names: fields.map(\.path),
        cells: points.flatMap { point in point.rows.map { _ in point.texts } })
    ) {
      text.lines.map { $0 + "\n" }.joined()
    }
    if result.format != .table { text.lines.forEach { Console.note($0) } }
  }
}
