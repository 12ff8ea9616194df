package import ArgumentParser

/// The main program of every executable.
package enum CommandLineMain {
  /// The one place that says it; `--version` and `manifest.json` repeat it.
  package static let version = "0.1.0"

  /// Parses the command line, runs the command, and ends the process where it fails.
  ///
  /// - Parameter root: the root command of the executable.
  package static func run(_ root: any ParsableCommand.Type) async {
    do {
      var command = try CommandLineCheck.parse(
        Array(CommandLine.arguments.dropFirst()), of: root)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Console.exit(for: error, of: root)
    }
  }
}
