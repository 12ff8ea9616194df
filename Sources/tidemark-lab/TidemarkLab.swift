import ArgumentParser
package import CommandLineInterface
package import Processes
package import RealTime

/// The commands of `tidemark measure`: everything in real time.
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

extension AlternativeRunError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "\(self)") }
}

extension WrongAnswer: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "designs: \(self)") }
}

extension Disk.StillInUse: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "designs: \(self)") }
}

extension MeasurementError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "latency: \(self)") }
}

extension MemoryRunError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "memory: \(self)") }
}

extension PipelineError: ReportedError {
  package var failure: CommandFailure {
    // This error is caused by the options; others by the run.
    CommandFailure(self == .keepsNothing ? .input : .data, "pipeline: \(self)")
  }
}

extension SyncProtocolError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "pipeline: \(self)") }
}
