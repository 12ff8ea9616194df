import ArgumentParser

@testable import CommandLineInterface
@testable import tidemark
@testable import tidemark_check
@testable import tidemark_import
@testable import tidemark_lab
@testable import tidemark_trace

/// The root commands of all executables.
enum CommandRoots {
  /// Parses a command line of `tidemark` by the executable that it comes to.
  static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    try CommandLineCheck.parse(arguments, of: root(for: arguments))
  }

  /// The root of the executable that the words come to.
  static func root(for arguments: [String]) -> any ParsableCommand.Type {
    switch arguments.first.flatMap({ Companion(command: $0) }) {
    case .lab: TidemarkLab.self
    case .check: TidemarkCheck.self
    case .trace: TidemarkTrace.self
    case .importer: TidemarkImport.self
    case nil: Tidemark.self
    }
  }

  /// Every command that help lists, with the words that start it.
  static let all: [(words: [String], command: any ParsableCommand.Type)] = [
    Tidemark.self, TidemarkLab.self, TidemarkCheck.self, TidemarkTrace.self, TidemarkImport.self,
  ].flatMap { commands(below: $0, []) }

  private static func commands(
    below root: any ParsableCommand.Type, _ words: [String]
  ) -> [(words: [String], command: any ParsableCommand.Type)] {
    root.configuration.subcommands.flatMap { command in
      let words = words + [command.configuration.commandName ?? ""]
      return [(words, command)] + Self.commands(below: command, words)
    }
  }
}
