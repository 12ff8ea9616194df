import ArgumentParser
import CacheModel
import CommandLineInterface
import RealTime

/// Devices of a pipeline run; started by `measure`, and of no use alone.
struct RunDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-device",
    abstract: "Devices of a measurement; `measure latency --transport` starts them.",
    shouldDisplay: false)

  @OptionGroup var library: MadeLibraryOptions

  @Option var endpoint: String
  /// All devices of the run, and which of them this process holds.
  @Option var devices: Int
  @Option var first: Int
  @Option var count: Int
  /// Of all devices together.
  @Option var mutations: Int
  @Option var rate: Double
  @Option var batch = 1
  /// Of the library, the first so many; all, where nothing is said.
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
    // The order to leave: there is nothing to tidy up, and no one to wait for.
    work.cancel()
  }
}

/// The sync server of a pipeline run; started by `measure`, and of no use alone.
struct ServeSyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve-sync",
    abstract: "The sync server of a measurement; `measure latency --transport` starts it.",
    shouldDisplay: false)

  @OptionGroup var library: MadeLibraryOptions

  @Option(help: ArgumentHelp("unix:PATH or tcp:HOST:PORT.", valueName: "ENDPOINT"))
  var endpoint: String

  @Option(help: "The temporary folder of the run; removed at the end, with all that is in it.")
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

/// Which made library a process knows; the same in all of a run.
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

/// What `measure` may be asked where the events come over sockets.
struct SocketOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Devices that send; default: 2.", valueName: "N"))
  var devices: Int?

  @Option(help: ArgumentHelp("Files that one event changes; default: 1.", valueName: "N"))
  var batch: Int?

  @Option(help: ArgumentHelp("Frames per second of the screen; default: 60.", valueName: "N"))
  var frameRate: Int?

  @Option(
    help: ArgumentHelp(
      """
      Callbacks that observe the listings; with fewer than listings only that many are changed; \
      default: one each.
      """, valueName: "N"))
  var observers: Int?

  @Option(
    help: ArgumentHelp(
      """
      Reads of listings per second, from the cache under test and from one that hears of no event; \
      default: none.
      """, valueName: "N"))
  var reads: Int?

  /// - Throws: ``CommandFailure`` that names the first option that does not fit.
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

  /// The names of the options that were given.
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

  /// What is changed where no rate is given.
  private static let filesPerSecond = 1_000.0

  /// - Throws: ``CommandFailure`` where no preset has that name.
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
