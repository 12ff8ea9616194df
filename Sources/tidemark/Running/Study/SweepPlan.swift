import Analysis
import CommandLineInterface
import Foundation
import ResultModel
import Text
import Workloads

/// A distributed search: all inputs of its runs, in one file.
struct SweepPlan: Sendable {
  let task: TuningTask
  /// The option, as written; `nil`: the goal of the scenarios decides.
  let objective: String?
  /// The contents of files when the plan was made.
  private let scenarios: [(path: String, yaml: [UInt8])]
  private let vary: [String]
  private let seeds: Int

  private static let format = "tidemark sweep 1"
  private static let byteLimit = 1 << 26

  /// - Throws: ``CommandFailure`` for inputs that cannot be distributed.
  init(_ options: StudyOptions, objective: String?, command: String?) throws {
    guard options.method != .halving else {
      throw CommandFailure(
        .input,
        "--method halving cannot be split among machines, since each trial depends on earlier ones; "
          + "use sobol")
    }
    if case .automatic = options.seeds {
      throw CommandFailure(.input, "--seeds auto cannot be split among machines; give a number")
    }
    let task = try options.load(command: command)
    let scenarios = try task.inputs.map { input in
      guard input.isDrawn, let document = input.file.document else {
        throw CommandFailure(
          .input,
          "\(input.argument): a recording cannot be split among machines; use `tidemark tune` on one"
        )
      }
      return (path: input.file.path, yaml: document.yaml)
    }
    try self.init(
      task: task, objective: objective, scenarios: scenarios, vary: options.vary)
  }

  private init(
    task: TuningTask, objective: String?, scenarios: [(path: String, yaml: [UInt8])],
    vary: [String]
  ) throws(CommandFailure) {
    _ = try TuningRule.objectives(objective, of: [])
    guard task.hasTotal else {
      throw CommandFailure(
        .input, "the scenarios compare different policies; name those of all with --policies")
    }
    self.task = task
    self.objective = objective
    self.scenarios = scenarios
    self.vary = vary
    seeds = task.seedPlan(of: task.inputs[0]).looks.last ?? 1
  }

  // MARK: Runs

  /// The runs, in the order of the merged result.
  var cells: [StudyCell] {
    let study = TuningStudy(
      runner: runner(ProgressLine("sweep")), settings: task.settings, firstSeeds: task.firstSeeds)
    return study.cells(study.distinct, seeds: seeds)
  }

  func runner(_ progress: ProgressLine) -> StudyRunner {
    StudyRunner(inputs: task.inputs, journal: nil, progress: progress)
  }

  // MARK: The file

  /// Returns the plan as JSON, with a digest of everything else.
  func bytes() throws -> [UInt8] {
    try JSONWriter.document(.object(members + [JSONMember("digest", .string(try digest()))]))
  }

  /// Returns the digest that identifies the shards of this plan.
  func digest() throws -> String {
    Fingerprint(of: try JSONWriter.line(.object(members))).text
  }

  private var members: [JSONMember] {
    [
      JSONMember("format", .string(Self.format)),
      JSONMember("program", .string(CommandLineMain.version)),
      JSONMember(
        "scenarios",
        .array(
          scenarios.map {
            .object([
              JSONMember("path", .string($0.path)),
              JSONMember("yaml", .string(String(decoding: $0.yaml, as: UTF8.self))),
            ])
          })),
      JSONMember("vary", .array(vary.map { .string($0) })),
      JSONMember("method", .string(task.plan.method.rawValue)),
      JSONMember("trials", .integer(task.plan.trials)),
      JSONMember("steps", .integer(task.plan.steps)),
      JSONMember("policies", .array(task.policies.map { .string($0) })),
      JSONMember("seed", task.seed.map { .unsigned($0) } ?? .null),
      JSONMember("seeds", .integer(seeds)),
      JSONMember("objective", .optional(objective)),
    ]
  }

  /// Reads a plan that ``bytes()`` wrote.
  init(path: String) throws {
    let bytes = try InputFile.read(path, limit: Self.byteLimit)
    let title = FileKind.title(of: path)
    func refusal(_ cause: String) -> CommandFailure {
      CommandFailure(.input, "\(title): \(cause); make it again with `tidemark sweep plan`")
    }
    guard let plan = try? JSONParser.parse(bytes[...]), plan["format"]?.text == Self.format else {
      throw refusal("this is not a plan of a sweep")
    }
    func list(_ name: String) -> [String]? { plan[name]?.elements?.compactMap(\.text) }
    guard plan["program"]?.text == CommandLineMain.version else {
      throw refusal("it is of another version of tidemark")
    }
    guard let vary = list("vary"), let names = list("policies"),
      let objective = plan["objective"],
      let method = plan["method"]?.text.flatMap(SearchMethod.init),
      let seeds = plan["seeds"]?.wholeNumber, let trials = plan["trials"]?.wholeNumber,
      let steps = plan["steps"]?.wholeNumber, let files = plan["scenarios"]?.elements,
      (1...1_000).contains(seeds), trials <= UInt64(SearchPlan.settingLimit),
      (2...1_000).contains(steps)
    else { throw refusal("something is missing in it") }
    var scenarios: [(path: String, yaml: [UInt8])] = []
    for file in files {
      guard let path = file["path"]?.text, let yaml = file["yaml"]?.text else {
        throw refusal("something is missing in it")
      }
      scenarios.append((path, Array(yaml.utf8)))
    }
    guard !scenarios.isEmpty else { throw refusal("it names no scenario") }
    let seed = plan["seed"]?.wholeNumber
    let inputs = try scenarios.map { SimulationInput(try ScenarioFile($0.yaml, path: $0.path)) }
    try self.init(
      task: TuningTask(
        inputs: inputs,
        plan: SearchPlan(
          method, TuningParameter.all(vary, models: inputs.map(\.file.scenario.model)),
          trials: Int(trials), steps: Int(steps), seed: seed ?? 1),
        policies: names, seed: seed, seeds: .fixed(Int(seeds))),
      objective: objective.text, scenarios: scenarios, vary: vary)
    guard plan["digest"]?.text == (try digest()) else { throw refusal("it was changed by hand") }
  }
}

/// The shards of a folder, checked against their plan: every run once, or a list of problems.
struct SweepMerge {
  let records: [String: RunRecord]

  /// - Throws: ``CommandFailure`` that names each missing and each duplicate run.
  init(_ plan: SweepPlan, folder: String) throws {
    let cells = plan.cells
    let prints = plan.task.inputs.map(\.fingerprint)
    let keys = cells.map { $0.key(workload: prints[$0.input]) }
    let digest = try plan.digest()
    let files = try Self.files(in: folder).map { try ShardFile(path: "\(folder)/\($0)", name: $0) }
    var problems: [String] = []
    for file in files where file.plan != digest {
      problems.append("\(file.name): is of another plan; remove it, or name its own plan")
    }
    var places: [String: Int] = [:]
    for (index, key) in keys.enumerated() { places[key] = index }
    var holders = [[String]](repeating: [], count: keys.count)
    var records: [String: RunRecord] = [:]
    for file in files where file.plan == digest {
      for entry in file.entries {
        guard let place = places[entry.key] else {
          problems.append(
            "\(file.name): \(entry.subject) is not a run of the plan; remove the file")
          break
        }
        holders[place].append(file.name)
        records[entry.key] = entry.record
      }
    }
    problems += Self.doubles(holders)
    problems += Self.holes(
      holders, count: files.first { $0.plan == digest }?.shard.count, folder: folder)
    guard problems.isEmpty else {
      throw CommandFailure(.data, problems.joined(separator: "\n"))
    }
    self.records = records
  }

  /// Returns the files of shards in a folder; none if it cannot be read.
  static func paths(in folder: String) -> [String] {
    ((try? files(in: folder)) ?? []).map { "\(folder)/\($0)" }
  }

  private static func files(in folder: String) throws(CommandFailure) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".jsonl") }.sorted()
    } catch {
      throw CommandFailure(
        .input,
        "\(folder): no readable folder; name the folder of the shards")
    }
  }

  private static func doubles(_ holders: [[String]]) -> [String] {
    stretches(holders) { $0.count > 1 ? $0.joined(separator: " and ") : nil }.map {
      "\(text(of: $0.range)) doubled, in \($0.value); remove all but one"
    }
  }

  private static func holes(_ holders: [[String]], count: Int?, folder: String) -> [String] {
    stretches(holders) { $0.isEmpty ? "" : nil }.map { hole in
      // The shards that would fill it, with the same number of shards.
      let shards = count.map { count in
        (1...count).compactMap { try? SweepShard($0, of: count, named: "") }
          .filter { $0.range(of: holders.count).overlaps(hole.range) }
      }
      let remedy =
        shards.map { shards in
          "run again with "
            + shards.map { "--shard \($0.number)/\($0.count)" }.joined(separator: ", ")
        } ?? "run its shards, into \(folder)"
      return "\(text(of: hole.range)) missing; \(remedy)"
    }
  }

  /// Groups adjacent runs with the same problem.
  private static func stretches(
    _ holders: [[String]], _ value: ([String]) -> String?
  ) -> [(range: Range<Int>, value: String)] {
    var stretches: [(range: Range<Int>, value: String)] = []
    for (index, names) in holders.enumerated() {
      guard let own = value(names) else { continue }
      if let last = stretches.last, last.range.upperBound == index, last.value == own {
        stretches[stretches.count - 1].range = last.range.lowerBound..<(index + 1)
      } else {
        stretches.append((index..<(index + 1), own))
      }
    }
    return stretches
  }

  /// Counted from 1.
  private static func text(of range: Range<Int>) -> String {
    range.count == 1
      ? "run \(range.lowerBound + 1) is" : "runs \(range.lowerBound + 1) to \(range.upperBound) are"
  }
}
