import ArgumentParser
import CommandLineInterface

/// The command line: one subcommand for each question.
struct Tidemark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark",
    abstract:
      "Compare client-cache policies on multi-device event streams.",
    discussion: """
      Results go to standard output, progress and warnings to standard error.
      Exit codes: 0 done · 1 worse, missed or different · 2 wrong input ·
      3 no matching baseline · 4 data missing or inconclusive ·
      5 output not written · 70 a fault of tidemark.
      """,
    version: CommandLineMain.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Decide",
        subcommands: [
          RecommendCommand.self, SimulateCommand.self, TuneCommand.self, SensitivityCommand.self,
          SweepCommand.self, ExplainCommand.self, ImportCommands.self, ListCommand.self,
          InitCommand.self,
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

// Commands of other executables, listed by `--help`; `Main` dispatches them before parsing.

struct MeasureCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure the real cache in real time: latency, memory, scale.")
}

struct ImportCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a recording from HAR files: import har.")
}

struct TraceCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Run traces of keys against eviction orders.")
}

struct CheckCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Fuzz the cache: random programs.")
}

struct ConformCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform", abstract: "Run conformance tests on an external cache.")
}
