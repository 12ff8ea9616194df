import ArgumentParser
import CommandLineInterface

/// What `tidemark trace` starts: traces of keys against eviction orders.
struct TidemarkTrace: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark", abstract: "Run traces of keys against eviction orders.",
    version: CommandLineMain.version,
    subcommands: [TraceCommand.self])
}

struct TraceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace", abstract: "Run traces of keys against eviction orders.",
    subcommands: [
      ReplayCommand.self, CurveCommand.self, ConvertCommand.self, InspectCommand.self,
      BenchCommand.self, FormatsCommand.self,
    ])
}

@main
enum Main {
  static func main() async { await CommandLineMain.run(TidemarkTrace.self) }
}
