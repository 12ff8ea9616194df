import ArgumentParser
import CacheModel
import CommandLineInterface
import RealTime

/// Runs devices of a pipeline run; an internal command of `measure`.
struct RunDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-device",
    abstract: "Devices of a measurement; `measure latency --transport` starts them.",
    shouldDisplay: false)

  @OptionGroup var library: MadeLibraryOptions

  @Option var endpoint: String
  /// The number of devices of the run; the next two options select those of this process.
  @Option var devices: Int
  @Option var first: Int
  @Option var count: Int
  /// The number of mutations of all devices together.
  @Option var mutations: Int
  @Option var rate: Double
  @Option var batch = 1
  /// The number of changed files, from the first one of the library; `nil`: all.
  @Option var changedFiles: Int?

  func validate() throws {
    guard devices > 0, first >= 0, count > 0, first + count <= devices, mutations > 0, rate > 0,
      batch > 0, (1...library.made.fileCount).contains(changedFiles ?? 1)
    else { throw ValidationError("a number is out of range") }
  }

  func run() async throws {
    guard let endpoint = SyncEndpoint(endpoint) else {
      throw CommandFailure(.input, "--endpoint is \"\(endpoint)\"; give unix:PATH or tcp:HOST:PORT")
    }
    let orders = ChildOrders.lines()
    let (starts, begin) = AsyncStream.makeStream(of: Instant.self)
    FileLimit.raise()
    var plan = DevicePlan(
      library: library.made, seed: library.seed, devices: devices, mutations: mutations,
      rate: rate, filesPerMutation: batch)
    if let changedFiles { plan.changedFiles = changedFiles }
    let work = Task { [plan] in
      do {
        let fleet = try await DeviceFleet.connect(
          to: endpoint, plan: plan, devices: first..<first + count)
        try Console.tell("ready\n")
        guard let start = await starts.first(where: { _ in true }) else { return }
        let accepted = try await fleet.run(from: start)
        try Console.tell("done \(accepted)\n")
      } catch {
        Console.exit(for: error, of: TidemarkLab.self)
      }
    }
    for await order in orders {
      guard order.hasPrefix("start "), let start = Int64(order.dropFirst("start ".count)) else {
        throw CommandFailure(.fault, "the order \"\(order)\" is not known")
      }
      begin.yield(Instant(nanoseconds: start))
    }
    // The command to exit: there is nothing to clean up or wait for.
    work.cancel()
  }
}

/// Runs the sync server of a pipeline run; an internal command of `measure`.
struct ServeSyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve-sync",
    abstract: "The sync server of a measurement; `measure latency --transport` starts it.",
    shouldDisplay: false)

  @OptionGroup var library: MadeLibraryOptions

  @Option(help: ArgumentHelp("Listen at unix:PATH or tcp:HOST:PORT.", valueName: "ENDPOINT"))
  var endpoint: String

  @Option(help: "Remove this temporary folder of the run at the end, with all that is in it.")
  var folder: String?

  func run() async throws {
    guard let endpoint = SyncEndpoint(endpoint) else {
      throw CommandFailure(.input, "--endpoint is \"\(endpoint)\"; give unix:PATH or tcp:HOST:PORT")
    }
    let orders = ChildOrders.lines()
    defer { if let folder { TemporaryFolder.remove(folder) } }
    FileLimit.raise()
    let service = try await SyncService.start(
      at: endpoint, server: SyncServer(library: library.made)
    ) { Console.note($0) }
    try Console.tell("ready \(service.endpoint)\n")
    for await _ in orders {}
    await service.stop()
  }
}

/// The parameters of a synthetic library; the same in all processes of a run.
struct MadeLibraryOptions: ParsableArguments {
  @Option var seed: UInt64
  @Option var directories: Int
  @Option var files: Int

  func validate() throws {
    guard (1...100_000).contains(directories), (1...10_000).contains(files) else {
      throw ValidationError("--directories and --files are out of range")
    }
  }

  var made: FileLibrary {
    FileLibrary(directories: directories, filesPerDirectory: files, seed: seed)
  }
}

/// The options of `measure` for events over sockets.
struct SocketOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Send from this many devices. Default: 2.", valueName: "N"))
  var devices: Int?

  @Option(help: ArgumentHelp("Change this many files in an event. Default: 1.", valueName: "N"))
  var batch: Int?

  @Option(help: ArgumentHelp("Draw this many frames per second. Default: 60.", valueName: "N"))
  var frameRate: Int?

  @Option(
    help: ArgumentHelp(
      """
      Observe the listings with this many callbacks; if fewer than listings, only that many listings \
      change. Default: one each.
      """, valueName: "N"))
  var observers: Int?

  @Option(
    help: ArgumentHelp(
      """
      Read this many listings per second, from the cache under test and from one that receives no \
      events. Default: none.
      """, valueName: "N"))
  var reads: Int?

  /// - Throws: ``CommandFailure`` with the first invalid option.
  func check(needed areSockets: Bool) throws(CommandFailure) {
    if !areSockets, let name = given.first {
      throw CommandFailure(.input, "\(name) needs sockets; add --transport unix or tcp")
    }
    try check("--devices", devices, 1...PipelinePlan.largestFleet, "devices")
    try check("--batch", batch, 1...DevicePlan.largestBatch, "files")
    try check("--frame-rate", frameRate, 1...1_000, "frames per second")
    try check("--reads", reads, 1...10_000, "reads per second")
    try check("--observers", observers, 1...PipelinePlan.mostObservers, "observers")
  }

  /// The names of the given options.
  private var given: [String] {
    [
      ("--devices", devices != nil), ("--batch", batch != nil), ("--frame-rate", frameRate != nil),
      ("--observers", observers != nil), ("--reads", reads != nil),
    ].filter(\.1).map(\.0)
  }

  private func check(
    _ name: String, _ value: Int?, _ range: ClosedRange<Int>, _ unit: String
  ) throws(CommandFailure) {
    guard let value, !range.contains(value) else { return }
    throw CommandFailure(
      .input, "\(name) is \(value); give \(range.lowerBound) to \(range.upperBound) \(unit)")
  }

  /// The rate of changed files, by default.
  private static let filesPerSecond = 1_000.0

  /// - Throws: ``CommandFailure`` if no preset has that name.
  func plan(
    over transport: PipelinePlan.Transport, policy: String, rate: Double?, seed: UInt64,
    isQuick: Bool
  ) throws(CommandFailure) -> PipelinePlan {
    let batch = batch ?? 1
    guard
      var plan = PipelinePlan.standard(
        transport: transport, preset: policy, devices: devices ?? 2,
        rate: rate ?? max(Self.filesPerSecond / Double(batch), 2), batch: batch,
        seed: seed, isQuick: isQuick)
    else {
      throw CommandFailure(
        .input, "no preset is called \"\(policy)\"; `tidemark list presets` names them")
    }
    plan.framesPerSecond = frameRate ?? 60
    if let observers { plan.setObservers(observers) }
    plan.readsPerSecond = reads.map { Double($0) }
    return plan
  }
}
