import Analysis
import ArgumentParser
import CacheModel
import CacheSimulation
import Metrics
import Reporting
import Workloads

struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run scenarios in virtual time: same scenario, same seed, same bytes.")

  @Argument(
    help: ArgumentHelp(
      "Names in Scenarios/, paths of scenario files (.yaml), or recorded sessions (.jsonl).",
      valueName: "SCENARIO"))
  var inputs: [String]

  @OptionGroup var policies: PolicyNames

  @Option(help: "The seed of all random numbers; default: the scenario's.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Also write the session (of one scenario) as JSON Lines, to be simulated again.",
      valueName: "FILE"))
  var record: String?

  @OptionGroup var result: ResultOutput

  func run() async throws {
    if record != nil, inputs.count != 1 {
      throw CommandFailure(.input, "--record takes one scenario, not \(inputs.count)")
    }
    try OutputFile.check(result.output)
    if let record { try OutputFile.check(record) }
    let progress = Progress("simulate")
    var rows: [ResultRow] = []
    for input in inputs {
      let session = try Session.load(input, policies: policies.names, seed: seed)
      if let record {
        try OutputFile.write(SessionRecording.write(session.workload), to: record)
      }
      let count = session.contestants.count
      let batch = try await SimulationBatch.run(session.workload, session.contestants) {
        progress.report("\(session.workload.name), \($0) of \(count) policies")
      }
      rows += batch.rows
    }
    progress.end()
    try result.write(rows) {
      let choices = ScenarioChoice.all(in: rows, bounds: Set(PolicyEntry.bounds))
      return BenchReport(rows: rows, choices: choices, judgements: []).text(style: Console.style)
    }
  }
}

/// What one input of `simulate` stands for: a workload, and who runs it.
struct Session {
  var workload: Workload
  var contestants: [Contestant]

  /// The largest recording that is read, in bytes.
  private static let recordingLimit = 1 << 31

  /// Draws the workload of a scenario, or reads a recorded one.
  static func load(_ input: String, policies: [String], seed: UInt64?) throws -> Session {
    guard input.hasSuffix(".jsonl") || input == InputFile.standardInput else {
      let file = try ScenarioFile.load(input)
      return Session(
        workload: Workload.generate(file.scenario, seed: seed),
        contestants: try file.contestants(policies))
    }
    let bytes = try InputFile.read(input, limit: recordingLimit)
    let workload: Workload
    do {
      workload = try SessionRecording.read(bytes)
    } catch {
      throw CommandFailure(.input, "\(input): \(error)")
    }
    return Session(
      workload: workload, contestants: try caches(for: workload, from: input).contestants(policies))
  }

  /// A recording holds what happened, not which caches saw it: they are those of the scenario whose
  /// name it bears, else the presets under common defaults.
  private static func caches(for workload: Workload, from input: String) throws -> ScenarioFile {
    if let names = try? ScenarioFile.names(), names.contains(workload.name) {
      let file = try ScenarioFile.load(workload.name)
      Console.note("\(input): policies and cache settings of \(file.path)")
      return file
    }
    var file = ScenarioFile(path: input, scenario: Scenario(), digest: "")
    file.scenario.policies = Preset.all.map { PolicyEntry(preset: $0.name) }
    return file
  }
}
