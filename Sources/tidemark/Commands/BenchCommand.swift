import Analysis
import ArgumentParser
import CacheModel
import CacheSimulation
import Foundation
import Measurement
import Metrics
import NormalizedCache
import Reporting
import Workloads

struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Compare policies on all scenarios, measure the cache, and write a report.",
    discussion: """
      Writes results.csv and summary.csv (exact: the same on every machine), latency.csv, \
      memory.csv, manifest.json and report.txt. A missed target fails nothing here: `gate` \
      does that.
      """)

  @Argument(
    help: ArgumentHelp(
      "Names in Scenarios/, or paths of scenario files; default: all of Scenarios/.",
      valueName: "SCENARIO"))
  var scenarios: [String] = []

  @OptionGroup var policies: PolicyNames

  @Option(help: "The seed of all random numbers; default: each scenario's own.")
  var seed: UInt64?

  @Option(help: ArgumentHelp("The folder of the report; replaced whole.", valueName: "DIR"))
  var output = "Reports/latest"

  @Flag(help: "Shorter measurements; too few samples for p99.9, which stays empty.")
  var quick = false

  @Flag(help: "Simulate only: write exact results, measure nothing in real time.")
  var exactOnly = false

  private static let toolchainKeys: Set<String> = ["compiler", "build"]

  func run() async throws {
    let clock = ContinuousCacheClock()
    let start = clock.now
    let startedAt = Date()
    let files = try ScenarioFile.load(scenarios)
    let folder = try ReportFolder(output)
    let progress = Progress("bench")
    let simulated = try await SimulatedScenarios.run(
      files, policies: policies.names(), seed: seed, progress: progress)

    var latency: [ResultRow] = []
    var memory: [ResultRow] = []
    var targets = simulated.targets
    if !exactOnly {
      let policy = "spacedrive"
      let measured = try await Measurements.run(
        policy: policy, seed: seed ?? 1, isQuick: quick, progress: progress)
      latency =
        measured.latency + measured.costs
        + simulated.batch.throughputRows(seed: seed ?? 1)
      memory = measured.memory
      targets += MachineTargets.all(policy: policy)
      if let pipeline = try await PipelineMeasurement.forBench(
        policy: policy, seed: seed ?? 1, isQuick: quick, progress: progress)
      {
        latency += pipeline.rows
        targets += pipeline.targets
      }
      if let peers = try await PeerMeasurement.forBench(
        seed: seed ?? 1, isQuick: quick, progress: progress)
      {
        latency += peers.rows
        targets += peers.targets
      }
    }
    progress.end()

    let exact = simulated.batch.rows
    let rows = exact + latency + memory
    let report = BenchReport(
      rows: rows, choices: ScenarioChoice.all(in: exact, bounds: Set(PolicyEntry.bounds)),
      judgements: TargetJudge(rows: rows).judge(targets))
    let machine = MachineDescription.current().entries.map { Manifest.Fact($0.key, $0.value) }
    let manifest = Manifest(
      // Where the executable stood says nothing about the results, and something about the user.
      schemaVersion: ResultSchema.version, programVersion: Tidemark.version,
      command: ["tidemark"] + CommandLine.arguments.dropFirst(),
      seeds: exact.distinct(\.seed), policies: exact.distinct(\.policy),
      scenarios: simulated.digests,
      startedAt: startedAt.formatted(.iso8601),
      elapsedSeconds: start.duration(to: clock.now) / .seconds(1),
      host: machine.filter { !Self.toolchainKeys.contains($0.name) },
      toolchain: machine.filter { Self.toolchainKeys.contains($0.name) })
    var contents = [
      ("results.csv", try TidyTable.csv(exact)),
      ("summary.csv", try SummaryTable.csv(exact)),
      ("manifest.json", try manifest.document()),
      ("report.txt", Array(report.text(style: .plain).utf8)),
    ]
    if !exactOnly {
      contents += [
        ("latency.csv", try TidyTable.csv(latency)), ("memory.csv", try TidyTable.csv(memory)),
      ]
    }
    try folder.replace(with: contents)
    try Console.write(report.text(style: Console.style))
    Console.note("report: \(output)/")
  }
}

/// Scenarios, simulated under their policies.
struct SimulatedScenarios {
  var batch = SimulationBatch()
  var targets: [Analysis.Target] = []
  var digests: [ScenarioDigest] = []

  static func run(
    _ files: [ScenarioFile], policies: [String], seed: UInt64?, progress: Progress
  ) async throws -> SimulatedScenarios {
    // All names are checked before the first simulation begins.
    let fields = try files.map { ($0, try $0.contestants(policies)) }
    var all = SimulatedScenarios()
    for (index, (file, contestants)) in fields.enumerated() {
      let place = "scenario \(index + 1) of \(files.count), \(file.scenario.name)"
      progress.report(place)
      let workload = Workload.generate(file.scenario, seed: seed)
      let batch = try await SimulationBatch.run(workload, contestants) {
        progress.report("\(place), \($0) of \(contestants.count) policies")
      }
      all.batch = all.batch + batch
      all.targets += file.targets(for: contestants)
      all.digests.append(ScenarioDigest(scenario: file.scenario.name, digest: file.digest))
    }
    return all
  }
}
