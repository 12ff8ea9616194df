import ArgumentParser

/// The command line: one subcommand for each question.
struct Tidemark: AsyncParsableCommand {
  /// The one place that says it; `--version` and `manifest.json` repeat it.
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "tidemark",
    abstract:
      "Compare client-cache policies on multi-device event streams, and gate on the result.",
    discussion: """
      Results go to standard output, progress and warnings to standard error.

      EXIT CODES
        0   done; for gate: passed
        1   gate: regressed, or a target was missed; check, soak: a promise is
            broken; memory: a prediction is wrong; explain: the stream is not
            what is declared; diff: reads differ; conform: a case fails
        2   the command line or an input file is wrong
        3   the baseline is missing or does not fit
        4   data are missing, invalid or inconclusive
        5   output could not be written
        70  a fault of tidemark itself
      """,
    version: version,
    subcommands: [
      BenchCommand.self, SimulateCommand.self, ConformCommand.self, DiffCommand.self,
      MeasureCommand.self, MemoryCommand.self,
      ScaleCommand.self, PeersCommand.self, SoakCommand.self, ReplayCommand.self, CurveCommand.self,
      ConvertCommand.self, InspectCommand.self, ExplainCommand.self, TuneCommand.self,
      SensitivityCommand.self,
      SweepCommand.self, FindingsCommand.self, GateCommand.self, ReportCommand.self,
      TrendCommand.self, CheckCommand.self, ListCommand.self, BenchReplayCommand.self,
      ServeSyncCommand.self,
      RunDeviceCommand.self, RunPeerCommand.self, RunSampleCommand.self, RunSearchCommand.self,
    ])
}

@main
enum Main {
  static func main() async {
    do {
      var command = try CommandLineCheck.parse(Array(CommandLine.arguments.dropFirst()))
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Console.exit(for: error)
    }
  }
}
