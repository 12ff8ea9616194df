import ArgumentParser
import CommandLineInterface

/// What `tidemark check` and `tidemark conform` start: for authors of caches.
struct TidemarkCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark", abstract: "Check caches with random programs and conformance tests.",
    version: CommandLineMain.version,
    subcommands: [CheckCommand.self, ConformCommand.self, RunSearchCommand.self])
}

@main
enum Main {
  static func main() async { await CommandLineMain.run(TidemarkCheck.self) }
}
