import ArgumentParser
import CommandLineInterface

// Commands of other executables, which `--help` lists; `Main` hands them on before it parses anything.

struct MeasureCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure the real cache: latency, memory, scale …")
}

struct ImportCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a recording of HAR files: import har.")
}

struct TraceCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Replay, curve, convert, inspect and bench traces.")
}

struct CheckCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Search for faults of a cache: random programs.")
}

struct ConformCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform", abstract: "Run conformance tests on an external cache.")
}
