import ArgumentParser
import CommandLineInterface

/// What `tidemark measure` starts: everything in real time.
struct TidemarkLab: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark", abstract: "Measure the real cache in real time.",
    version: CommandLineMain.version,
    subcommands: [
      MeasureCommand.self, RunBenchCommand.self, ServeSyncCommand.self, RunDeviceCommand.self,
      RunAlternativeCommand.self, RunSampleCommand.self,
    ])
}

struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Measure the real cache in real time.",
    subcommands: [
      LatencyCommand.self, MemoryCommand.self, ScaleCommand.self, AlternativesCommand.self,
      SoakCommand.self, DesignsCommand.self,
    ], defaultSubcommand: LatencyCommand.self)
}

@main
enum Main {
  static func main() async { await CommandLineMain.run(TidemarkLab.self) }
}
