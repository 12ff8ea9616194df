import Analysis
import ArgumentParser
import CommandLineInterface
import RealTime
import Reporting
import ResultModel

struct LatencyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Measure the real cache in real time: latency, update cost, memory.",
    discussion: """
      Runs the events and reads of a scenario or of recordings on a real cache of typed values for each \
      policy: events at Poisson instants, and the reads between them. \
      --all adds the cost of an update as the cache grows, and of a storage.

      Over sockets (--transport unix or tcp) a sync server and devices run in processes of their own. \
      The path of a change from a device to the screen is measured stage by stage.

      EXAMPLES
        tidemark measure latency --quick
        tidemark measure latency file-browser --policies lru,refcount,ttl,spacedrive
        tidemark measure latency session.jsonl --quick
        tidemark measure latency --transport unix --devices 100 --rate 1000
      """)

  @Argument(
    help: ArgumentHelp(
      """
      Name a scenario in Scenarios/, a scenario file, or the recordings of one app; default: \
      \(ScenarioMeasurement.usualScenario), with Tidemark's own targets.
      """, valueName: "SCENARIO"))
  var inputs: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take cache, policies, network and server of recordings from this scenario file.",
      valueName: "FILE"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      """
      Run these policies, separated by commas; default: \(PlayedInput.usualPolicies.count) of the scenario's, \
      \(PlayedInput.usualPolicies.joined(separator: ", ")) first; over sockets one, default: spacedrive.
      """, valueName: "a,b"))
  var policies: String?

  /// The transport of a server's events to the cache.
  enum Transport: String, ExpressibleByArgument, CaseIterable {
    /// The workload of a scenario, in the same process.
    case inprocess
    /// A server and devices in separate processes, over a Unix socket.
    case unix
    /// The same over TCP on the loopback interface.
    case tcp
  }

  @Option(
    help: """
      Send events inprocess (the workload of a scenario, played in this process), or over unix or \
      tcp (a sync server and devices in processes of their own).
      """)
  var transport = Transport.inprocess

  @Option(
    help: ArgumentHelp(
      "Send this many events per second: to each cache (default: 1000), or over sockets from all devices "
        + "together (default: 1000 divided by --batch).", valueName: "N"))
  var rate: Double?

  @Option(help: "Draw arrivals and data from this seed.")
  var seed: UInt64 = 1

  @Flag(help: "Take some seconds: too few samples for p99.9, which is left out.")
  var quick = false

  @Flag(
    help: """
      Measure the first policy twice more, with 10 µs more for each event and with 1,000 bytes more for \
      each entity: both must miss their target, or the measurement is invalid.
      """)
  var handicaps = false

  @Flag(
    help: """
      Also measure the cost of an update as the cache grows, the cost of a storage, and memory per entity.
      """)
  var all = false

  @OptionGroup(title: "Over sockets") var sockets: SocketOptions

  @OptionGroup var result: ResultOutput

  func run() async throws {
    if let rate, !(1...100_000).contains(rate) {
      throw CommandFailure(.input, "--rate is \(rate); give 1 to 100000 events per second")
    }
    if transport != .inprocess {
      for (isGiven, name) in [
        (!inputs.isEmpty, "a scenario"), (scenario != nil, "--scenario"),
        (handicaps, "--handicaps"), (all, "--all"),
      ] where isGiven {
        throw CommandFailure(
          .input, "\(name) does not go with --transport \(transport.rawValue); omit one of them")
      }
    }
    let names = try policies.map { try PolicyNames.list($0) } ?? []
    if transport != .inprocess, names.count > 1 {
      throw CommandFailure(
        .input, "--policies names \(names.count); over sockets one policy is measured at a time")
    }
    try sockets.check(needed: transport != .inprocess)
    try OutputFile.check(result.output)
    if let transport = PipelinePlan.Transport(rawValue: transport.rawValue) {
      return try await measure(
        try sockets.plan(
          over: transport, policy: names.first ?? CoreCosts.policy, rate: rate, seed: seed,
          isQuick: quick))
    }
    let progress = ProgressLine("measure")
    // The option formerly named the scenario itself.
    let named = inputs.isEmpty ? [scenario].compactMap(\.self) : inputs
    var measurement = try ScenarioMeasurement(
      named.isEmpty ? [ScenarioMeasurement.usualScenario] : named,
      lender: inputs.isEmpty ? nil : scenario, policies: names, seed: seed,
      areHandicapsAdded: handicaps)
    try measurement.input.checkIsOfOneApp()
    measurement.rate = rate
    measurement.extent = quick ? .quick : .full
    let measured = try await measurement.times(progress: progress)
    var costs =
      all ? try await CoreCosts.times(seed: seed, isQuick: quick, progress: progress) : []
    let ofPolicies =
      (measured.rows + (try await measurement.memory(progress: progress))).groupedByPolicy
    if all { costs += try await CoreCosts.memory(seed: seed, progress: progress) }
    progress.end()
    let rows = ofPolicies + costs
    // Tidemark's own targets are for its own scenario: an app has those of its file.
    let targets =
      measurement.ownTargets + (named.isEmpty || handicaps ? measured.targets : [])
      + (all ? MachineTargets.costs : [])
    try result.write(rows) {
      SessionTable.text(
        ofPolicies, judgements: TargetJudge(rows: rows).judge(targets), style: Console.style)
        + (costs.isEmpty ? "" : "\n" + MeasureReport.text(costs, style: Console.style))
    }
  }
}

extension LatencyCommand {
  /// Performs a run over sockets; a signal ends it, and all its processes.
  private func measure(_ plan: PipelinePlan) async throws {
    let progress = ProgressLine("measure")
    let rows = try await TerminationSignals.cancelling {
      try await PipelineMeasurement.result(of: plan, progress: progress).rows
    }
    progress.end()
    let judgements = TargetJudge(rows: rows).judge(MachineTargets.pipeline(plan))
    try result.write(rows) {
      MeasureReport.text(rows, judgements: judgements, style: Console.style)
    }
  }
}
