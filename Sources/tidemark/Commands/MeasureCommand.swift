import Analysis
import ArgumentParser
import CachePersistence
import Foundation
import Measurement
import Metrics
import Reporting

struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure the real cache in real time: latency, update cost, memory.",
    discussion: """
      With --scenario each policy has a real cache, which is given what happens to its simulated one: \
      events at Poisson instants, and between them the reads as they were drawn. Its CSV has one line for \
      each policy.

      Over sockets (--transport unix or tcp) a sync server and devices run in processes of their own, \
      and what is measured is the path of a change from a device to the screen, stage by stage.

      EXAMPLES
        tidemark measure --quick
        tidemark measure --scenario file-browser --policies lru,refcount,ttl,spacedrive
        tidemark measure --transport unix --devices 100 --rate 1000
        tidemark measure --transport unix --highest-rate --real-time
        tidemark measure --transport unix --vary observers=10,100,1000,10000
      """)

  @Option(help: ArgumentHelp("The preset of the cache under test.", valueName: "NAME"))
  var policy = "spacedrive"

  @Option(
    help: ArgumentHelp(
      """
      Measure the policies on the workload of a scenario: a name in Scenarios/, or the path of a file.
      """, valueName: "NAME"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "With --scenario: the policies, separated by commas; default: the scenario's own list.",
      valueName: "a,b"))
  var policies: String?

  /// How the events of a server reach the cache.
  enum Transport: String, ExpressibleByArgument, CaseIterable {
    /// A server task in the same process hands over bytes.
    case inprocess
    /// A server and devices in processes of their own, over a Unix socket.
    case unix
    /// The same over TCP on the loopback interface.
    case tcp
  }

  @Option(
    help: """
      How events reach the cache: inprocess (a server task in the same process; measures memory and \
      costs too), or unix or tcp (a sync server and devices in processes of their own).
      """)
  var transport = Transport.inprocess

  @Option(
    help: ArgumentHelp(
      "Single events per second: in each lane, default 1000, or over sockets of all devices, default "
        + "1000 divided by --batch.", valueName: "N"))
  var rate: Double?

  @Option(help: "The seed of arrivals and of the data.")
  var seed: UInt64 = 1

  @Flag(help: "Some seconds; too few samples for p99.9, which stays empty.")
  var quick = false

  @Flag(
    help: """
      Schedule all of the run before ordinary processes (SCHED_RR), where the system allows it; hogs \
      stay ordinary.
      """)
  var realTime = false

  @OptionGroup(title: "Over sockets") var sockets: SocketOptions

  @OptionGroup var result: ResultOutput

  func run() async throws {
    if let rate, !(1...100_000).contains(rate) {
      throw CommandFailure(.input, "--rate is \(rate); give 1 to 100000 events per second")
    }
    if rate != nil, sockets.vary?.axis == .rate {
      throw CommandFailure(.input, "--rate does not go with --vary rate; omit it")
    }
    if scenario == nil, policies != nil {
      throw CommandFailure(
        .input,
        "--policies goes with --scenario, whose workload they are measured on; add that, or give --policy"
      )
    }
    if scenario != nil, transport != .inprocess {
      throw CommandFailure(
        .input, "--scenario does not go with --transport \(transport.rawValue); omit one of them")
    }
    try sockets.check(needed: transport != .inprocess)
    try OutputFile.check(result.output)
    if realTime { try beginRealTime() }
    if let transport = PipelinePlan.Transport(rawValue: transport.rawValue) {
      let order = PipelineReport.Order(
        transport: transport, policy: policy, rate: rate, seed: seed, isQuick: quick)
      return try await PipelineReport(order: order, options: sockets, result: result).make()
    }
    let progress = Progress("measure")
    if let scenario {
      let (rows, targets) = try await SessionMeasurement.rows(
        scenario: scenario, policies: policies.map { try PolicyNames.list($0) } ?? [], seed: seed,
        rate: rate, isQuick: quick, progress: progress)
      progress.end()
      if result.format == .csv {
        return try OutputFile.write(try SessionTable.csv(rows), to: result.output)
      }
      return try result.write(rows) {
        SessionTable.text(
          rows, judgements: TargetJudge(rows: rows).judge(targets), style: Console.style)
      }
    }
    let measurements = try await Measurements.run(
      policy: policy, seed: seed, isQuick: quick, rate: rate, progress: progress)
    progress.end()
    let rows = measurements.latency + measurements.costs + measurements.memory
    try result.write(rows) { MeasureReport.text(rows, style: Console.style) }
  }
}

extension MeasureCommand {
  private func beginRealTime() throws(CommandFailure) {
    do throws(Scheduling.Failure) {
      try Scheduling.beginRealTime()
    } catch {
      throw CommandFailure(.input, "--real-time: \(error)")
    }
  }
}

/// Everything that is measured in real time, in the order in which it disturbs least.
struct Measurements {
  var latency: [ResultRow]
  var costs: [ResultRow]
  var memory: [ResultRow]

  static func run(
    policy: String, seed: UInt64, isQuick: Bool, rate: Double? = nil, progress: Progress
  ) async throws -> Measurements {
    guard var plan = LatencyPlan.standard(preset: policy, seed: seed, isQuick: isQuick) else {
      throw CommandFailure(
        .input, "no preset is called \"\(policy)\"; `tidemark list presets` names them")
    }
    for index in plan.phases.indices where plan.phases[index].eventClass == .single {
      plan.phases[index].rate = rate ?? plan.phases[index].rate
    }
    let latency = try await LatencyRun(plan: plan) { progress.report($0) }.run()
    let costs = try await CostRun(seed: seed) { progress.report($0) }
      .run(scenario: "update-cost")
    var eventCosts = EventCostRun(seed: seed) { progress.report($0) }
    if isQuick { eventCosts.makeQuick() }
    let events = try await eventCosts.run(scenario: "event-cost")
    // These two leave files and a process behind where nobody cleans up.
    let (persistence, memory) = try await TerminationSignals.cancelling { [plan] in
      progress.report("persistence: with a storage, with one that stalls, and without")
      let persistence = try await persistenceRows(plan: plan, isQuick: isQuick)
      progress.report("memory")
      return (persistence, await memoryRows(policy: policy, seed: seed, progress: progress))
    }
    return Measurements(latency: latency, costs: costs + events + persistence, memory: memory)
  }

  /// What a storage costs, measured on files in a temporary folder.
  private static func persistenceRows(
    plan: LatencyPlan, isQuick: Bool
  ) async throws -> [ResultRow] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var run = PersistenceRun(plan: plan) { name in
      SQLiteStorage(path: folder.appendingPathComponent("\(name).sqlite").path)
    }
    if isQuick { run.makeQuick() }
    return try await run.run(scenario: "update-cost")
  }

  /// The rows of memory; none, with a warning, where jemalloc is not installed or does not answer: the
  /// rest of the report is worth having, and a target on memory then says that it has no data.
  private static func memoryRows(
    policy: String, seed: UInt64, progress: Progress
  ) async -> [ResultRow] {
    do throws(MemoryRunError) {
      return try await MemoryRun().run().rows(scenario: "memory", policy: policy, seed: seed)
    } catch {
      // Whoever ended the run was told enough.
      if Task.isCancelled { return [] }
      progress.end()
      Console.note("warning: memory is not measured: \(error)")
      return []
    }
  }
}
