import ArgumentParser
import CommandLineInterface

/// The command line: one subcommand for each question.
struct Tidemark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark",
    abstract:
      "Compare client-cache policies on multi-device event streams, and gate on the result.",
    discussion: """
      Results go to standard output, progress and warnings to standard error.
      Exit codes: 0 done · 1 worse, missed or different · 2 wrong input · 3 no baseline that fits ·
      4 data missing or inconclusive · 5 output not written · 70 a fault of tidemark.
      """,
    version: CommandLineMain.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Decide",
        subcommands: [
          SimulateCommand.self, TuneCommand.self, SensitivityCommand.self, SweepCommand.self,
          ExplainCommand.self, InspectCommand.self, ImportCommands.self, ListCommand.self,
        ]),
      CommandGroup(
        name: "Run in CI",
        subcommands: [
          BenchCommand.self, GateCommand.self, ReportCommand.self, DiffCommand.self,
        ]),
      CommandGroup(
        name: "Look closer", subcommands: [MeasureCommands.self, TraceCommands.self]),
      CommandGroup(
        name: "For authors of caches", subcommands: [CheckCommands.self, ConformCommands.self]),
    ])
}

@main
enum Main {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let command = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    if let companion = command.flatMap({ Companion(command: $0) }) {
      do throws(CommandFailure) {
        try companion.run(arguments)
      } catch {
        Console.exit(for: error, of: Tidemark.self)
      }
    }
    await CommandLineMain.run(Tidemark.self)
  }
}
