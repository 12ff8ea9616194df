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
      is varied at a time; if the best policy changes, bisection locates the change, with the interval in \
      which no policy is significantly ahead (paired 95 %, common seeds). Two changes between two points \
      of one best policy are not seen: ask for more points.

      EXAMPLES
        tidemark sensitivity flaky-network --vary network.loss=0%..60% \\
          --policies lru,spacedrive
        tidemark sensitivity file-browser --vary users.desktop.think=1s..60s \\
          --vary writers.laptop.rate=0.1/min..100/min --policies lru,ttl \\
          --method latin-hypercube
      """)

  enum Method: String, ExpressibleByArgument, CaseIterable {
    case oneAtATime = "one-at-a-time"
    case latinHypercube = "latin-hypercube"
  }

  @Argument(
    help: ArgumentHelp(
      "Name a scenario in Scenarios/, or a scenario file.", valueName: "SCENARIO"),
    completion: Completions.inputs)
  var scenario: String

  @Option(
    help: ArgumentHelp(
      """
      Vary this field of the workload over its values: a list, or a range for numbers, in equal ratios \
      (linear:a..b: in equal steps). Repeatable.
      """,
      valueName: "PATH=a,b,c|a..b"))
  var vary: [String]

  @OptionGroup var contenders: ContenderOptions

  @Option(
    help: ArgumentHelp(
      "Name the metric that decides which policy is best.", valueName: "METRIC[:STATISTIC]"),
    completion: Completions.metrics)
  var objective = Metric.freshHitRatio.name

  @Option(help: "Vary one-at-a-time, or spread points over all fields (latin-hypercube).")
  var method = Method.oneAtATime

  @Option(help: "Try this many points in each doubling of a range.")
  var pointsPerDoubling = 1

  @Option(help: "Try this many points of a Latin hypercube.")
  var trials = 32

  @Option(
    help: "Locate a change to one part in this many of the range.")
  var resolution = 128

  @Option(help: "Start the random draws at this seed; default: the scenario's.")
  var seed: UInt64?

  @Option(help: "Run this many common seeds at every point.")
  var seeds = 5

  @Option(
    help: ArgumentHelp(
      "Keep every run in this file, and reuse the runs in it, so that a stopped command resumes.",
      valueName: "FILE"))
  var journal: String?

  @OptionGroup var result: ResultOutput

  func run() async throws {
    try check()
    try OutputFile.check(result.output, reading: [scenario])
    guard
      let input = try contenders.caches.inputs([SimulationInput(ScenarioFile.load(scenario))])
        .first,
      let document = input.file.document
    else { return }
    try OutputFile.checkApart(
      [journal, result.output].compactMap(\.self), reading: [input.file.path])
    let fields = try vary.map { try WorkloadField($0, in: document) }
    if let twice = fields.indices.first(where: { index in
      fields[..<index].contains { $0.path == fields[index].path }
    }) {
      throw CommandFailure(
        .input, "--vary \(fields[twice].path) is given twice; give all its values in one list")
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

/// The effect of a workload's field on the ranking, as a sentence and a table.
struct ResponseText {
  let response: SensitivityStudy.Response
  let study: SensitivityStudy

  /// "network.loss: lru until 31 % (28 % … 34 %), then spacedrive".
  var sentence: String {
    let field = response.field
    guard let last = response.flips.last else {
      let ends = [response.points.first, response.points.last].compactMap { $0?.point.texts.first }
      return "\(field.path): \(response.first) throughout, from \(ends.joined(separator: " to "))"
    }
    let parts = response.flips.map { flip in
      let at =
        field.isContinuous
        ? "\(field.text(at: (flip.low + flip.high) / 2)) (\(interval(of: flip)))"
        : "\(field.text(at: flip.low)), not at \(field.text(at: flip.high))"
      return "\(flip.before) until \(at)"
    }
    return "\(field.path): " + parts.joined(separator: ", then ") + ", then \(last.after)"
  }

  /// Returns the interval from where the previous leader is no longer significantly ahead to where the next
  /// one is.
  private func interval(of flip: FlipSearch.Flip) -> String {
    switch (flip.sureBefore, flip.sureAfter) {
    case (let low?, let high?):
      return "\(response.field.text(at: low)) … \(response.field.text(at: high))"
    case (let low?, nil):
      return "no significant difference from \(response.field.text(at: low)) on"
    case (nil, let high?):
      return "significant difference only from \(response.field.text(at: high)) on"
    case (nil, nil):
      return "no significant difference anywhere"
    }
  }

  var table: TextTable {
    var table = TextTable(
      columns: [.init(response.field.path, .right)] + study.policies.map { .init($0, .right) }
        + [.init("best")])
    for (_, point) in response.points {
      let means = point.values.map { $0.reduce(0, +) / Double(max($0.count, 1)) }
      let best = study.direction == .maximise ? means.max() : means.min()
      let names = zip(study.policies, means).filter { $0.1 == best }.map(\.0)
      table.append(
        [.init(point.texts[0])]
          + means.map {
            .init(
              HumanNumber.text(.real($0), unit: study.figure.unit),
              tone: $0 == best ? .good : .plain)
          } + [.init(names.joined(separator: " = "))])
    }
    return table
  }
}

/// The effect of several fields on the ranking, from points spread over all of them.
struct SpreadText {
  let fields: [WorkloadField]
  let places: [[Double]]
  let points: [SensitivityStudy.Point]
  let study: SensitivityStudy

  var lines: [String] {
    let leaders = points.map(leaders)
    let wins = study.policies.indices.map { policy in leaders.count { $0.contains(policy) } }
    let ranked = wins.indices.sorted { wins[$0] != wins[$1] ? wins[$0] > wins[$1] : $0 < $1 }
    let groups = leaders.distinct { $0 }.map { group in
      (group, count: leaders.count { $0 == group })
    }.sorted { $0.count != $1.count ? $0.count > $1.count : $0.0.lexicographicallyPrecedes($1.0) }
    let shares = groups.map { group, count in
      "\(group.map { study.policies[$0] }.joined(separator: " = ")) at \(count)"
    }.joined(separator: ", ")
    let head = "best of \(points.count) points: \(shares)"
    guard groups.count > 1 else { return [head] }
    return [head] + fields.indices.map { half(of: $0, ranked[0], over: ranked[1]) }
  }

  private func mean(_ point: SensitivityStudy.Point, _ policy: Int) -> Double {
    point.values[policy].reduce(0, +) / Double(max(point.values[policy].count, 1))
  }

  /// Returns the best policy, or all that are equally good.
  private func leaders(_ point: SensitivityStudy.Point) -> [Int] {
    let means = study.policies.indices.map { mean(point, $0) }
    let best = study.direction == .maximise ? means.max() : means.min()
    return means.indices.filter { means[$0] == best }
  }

  /// Returns one policy's lead over the other in either half of a field's range.
  private func half(of field: Int, _ one: Int, over other: Int) -> String {
    func lead(_ isUpper: Bool) -> String {
      let leads = points.indices.filter { (places[$0][field] >= 0.5) == isUpper }.map {
        (mean(points[$0], one) - mean(points[$0], other))
          * (study.direction == .maximise ? 1 : -1)
      }
      guard let interval = MeanInterval(of: leads) else { return "not known" }
      return study.figure.unit == .ratio
        ? "\(HumanNumber.points(interval.mean)) ± \(HumanNumber.points(interval.halfWidth)) points"
        : HumanNumber.interval(interval.mean, interval.halfWidth, unit: study.figure.unit)
    }
    return "  \(fields[field].path): \(study.policies[one]) ahead of \(study.policies[other]) by "
      + "\(lead(false)) in the lower half, by \(lead(true)) in the upper"
  }
}
