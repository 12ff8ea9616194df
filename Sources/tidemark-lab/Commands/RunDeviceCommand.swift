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
