import ArgumentParser
import CommandLineInterface
import RealTime

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
