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
    abstract: "Run scenarios in virtual time: same scenario, same seed, same bytes.",
    discussion: """
      A recording is simulated under the policies, caches and targets of the scenario whose name it \
      bears, where Scenarios/ has one. A missed target fails nothing here: `gate` does that.
      """)

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
    if let record {
      try OutputFile.check(record)
      guard record != result.output else {
        throw CommandFailure(
          .input, "--record and --output both name \(record); give each a file of its own")
      }
    }
    let sessions = try Session.load(
      inputs, seed: seed, command: Self.configuration.commandName)
    // All names are checked before the first simulation begins.
    let fields = try sessions.map { ($0, try $0.file.contestants(policies.names())) }
    let progress = Progress("simulate")
    var rows: [ResultRow] = []
    var targets: [Analysis.Target] = []
    for (session, contestants) in fields {
      progress.report("\(session.name), what happens in it")
      let workload = session.workload(seed: seed)
      if let record {
        try OutputFile.write(SessionRecording.write(workload), to: record)
      }
      let count = contestants.count
      progress.report("\(session.name), 0 of \(count) policies")
      let batch = try await SimulationBatch.run(workload, contestants) {
        progress.report("\(session.name), \($0) of \(count) policies")
      }
      rows += batch.rows
      targets += session.file.targets(for: contestants)
    }
    progress.end()
    try result.write(rows) {
      let choices = ScenarioChoice.all(in: rows, bounds: Set(PolicyEntry.bounds))
      let judgements = TargetJudge(rows: rows).judge(targets)
      return BenchReport(rows: rows, choices: choices, judgements: judgements)
        .text(style: Console.style)
    }
  }
}
