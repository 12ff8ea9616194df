package import ArgumentParser
import CacheSimulation
import NormalizedCacheCore
import ResultModel
import Text
import Workloads

package enum CommandLineMain {
  /// The single definition of the version, for `--version` and `manifest.json`.
  package static let version = "0.1.0"

  /// Parses the command line, runs the command, and ends the process on failure.
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

package protocol HasRepeatableOptions: ParsableCommand {
  /// The names of these options, as written.
  static var repeatableOptions: Set<String> { get }
}

/// Detects mistakes that ArgumentParser accepts, or rejects with unclear messages.
package enum CommandLineCheck {
  /// Parses the command line, and checks it.
  package static func parse(
    _ arguments: [String], of root: any ParsableCommand.Type
  ) throws -> any ParsableCommand {
    if let failure = unknownCommand(in: arguments[...], of: root) { throw failure }
    let command: any ParsableCommand
    do {
      command = try root.parseAsRoot(arguments)
    } catch  where root.exitCode(for: error) == .success {
      // Help, or the version.
      throw error
    } catch {
      throw negativeNumber(in: arguments, of: root) ?? unknownOption(in: arguments, of: root)
        ?? unparsed(error, arguments, of: root)
    }
    let repeatable = (type(of: command) as? any HasRepeatableOptions.Type)?.repeatableOptions ?? []
    if let name = repetition(in: arguments, besides: repeatable) {
      throw CommandFailure(.input, "\(name) is given twice; give it once")
    }
    return command
  }

  /// Returns the first word in the position of a command, or of a topic of help, that is not a known command.
  private static func unknownCommand(
    in arguments: ArraySlice<String>, of root: any ParsableCommand.Type,
    named name: String = "tidemark"
  ) -> CommandFailure? {
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments
    // Including those of groups.
    let commands = root.configuration.subcommands
    guard !commands.isEmpty, let word = words.first, !word.hasPrefix("-"), word != "help"
    else { return nil }
    if let command = commands.first(where: { $0.configuration.commandName == word }) {
      return unknownCommand(in: words.dropFirst(), of: command, named: "\(name) \(word)")
    }
    if let name = RenamedCommands.newName(of: word) {
      return CommandFailure(.input, "\"\(word)\" is now \"\(name)\"")
    }
    let known = commands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
    if let meant = command(for: word, below: name, known) {
      return CommandFailure(.input, "did you mean `\(meant) \(ShellWord.quoted(word))`?")
    }
    return CommandFailure(
      .input,
      "no command of `\(name)` is called \"\(word)\"; \(Suggestion.text(for: word, among: known))")
  }

  /// The likely command for a file or scenario given without one; `nil` if the word names neither.
  private static func command(for word: String, below group: String, _ known: [String]) -> String? {
    if known.count == 1, word.contains(".") { return "\(group) \(known[0])" }
    guard group == "tidemark" else { return nil }
    if word.hasSuffix(".har") { return "tidemark import har" }
    let isScenario = [".yaml", ".jsonl"].contains { word.hasSuffix($0) }
    let names = (try? ScenarioFile.knownNames()) ?? []
    return isScenario || names.contains(word) ? "tidemark simulate" : nil
  }

  /// The command that the words name, and how it is called.
  private static func command(
    named arguments: [String], of root: any ParsableCommand.Type
  ) -> (type: any ParsableCommand.Type, words: String) {
    var command = root
    var words = ["tidemark"]
    for word in arguments {
      guard
        let next = command.configuration.subcommands.first(where: {
          $0.configuration.commandName == word
        })
      else { break }
      command = next
      words.append(word)
    }
    return (command, words.joined(separator: " "))
  }

  /// Returns the options of a command, as its help lists them.
  package static func options(
    of command: any ParsableCommand.Type, below root: any ParsableCommand.Type
  ) -> [String] {
    root.helpMessage(for: command, includeHidden: true, columns: 200).split(separator: "\n").flatMap
    { line in
      line.hasPrefix("  -")
        ? line.split(whereSeparator: { " ,/".contains($0) }).filter { $0.hasPrefix("--") }.map(
          String.init)
        : []
    }.distinct(\.self)
  }

  /// Returns the first unknown option.
  private static func unknownOption(
    in arguments: [String], of root: any ParsableCommand.Type
  ) -> CommandFailure? {
    let (command, words) = command(named: arguments, of: root)
    let known = options(of: command, below: root)
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map {
      String($0.prefix { $0 != "=" })
    }
    guard !known.isEmpty, let unknown = given.first(where: { !known.contains($0) }) else {
      return nil
    }
    let nearest = NearestName.suggestion(
      for: String(unknown.dropFirst(2)), among: known.map { String($0.dropFirst(2)) })
    return CommandFailure(
      .input,
      "\(unknown) is not an option of `\(words)`; "
        + (nearest.map { "did you mean --\($0)? " } ?? "") + "`\(words) --help` lists all")
  }

  /// Converts an error of ArgumentParser to one line, with a pointer to help.
  private static func unparsed(
    _ error: any Error, _ arguments: [String], of root: any ParsableCommand.Type
  ) -> CommandFailure {
    let problem = plain(problem(error, of: root))
    return choice(problem)
      ?? CommandFailure(
        .input, "\(problem); see `\(command(named: arguments, of: root).words) --help`")
  }

  /// The usual problems in fewer words: "<SCENARIO> is missing".
  private static func plain(_ problem: String) -> String {
    func between(_ begin: String, _ end: String) -> Substring? {
      problem.hasPrefix(begin) && problem.hasSuffix(end)
        ? problem.dropFirst(begin.count).dropLast(end.count) : nil
    }
    if let name = between("Missing expected argument '", "'") {
      return "\(name.replacing(" ...", with: "")) is missing"
    }
    if let name = between("Missing value for '", "'") {
      return "\(name.prefix { $0 != " " }): its value is missing"
    }
    let parts = problem.split(separator: "' is invalid for '", maxSplits: 1)
    if let value = parts.first, value.hasPrefix("The value '"), parts.count == 2,
      parts[1].dropLast().allSatisfy({ $0 != "'" })
    {
      let option = parts[1].prefix { !" '".contains($0) }
      let word = value.dropFirst("The value '".count)
      return "\(option) \(word) is not valid; give a number, such as 1"
    }
    return problem
  }

  /// ArgumentParser's words in one line, without the point.
  private static func problem(_ error: any Error, of root: any ParsableCommand.Type) -> String {
    // Of a word that is none of several, a line each says what it may be.
    let text = root.message(for: error).replacing(":\n  - ", with: ": ").replacing(
      "\n  - ", with: ", "
    )
    .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// A word that is none of several: "--seeds 0 is not valid; give 1…1000 or auto"; `nil` if something else is
  /// wrong.
  private static func choice(_ problem: String) -> CommandFailure? {
    let parts = problem.split(separator: "' is invalid for '", maxSplits: 1)
    guard let value = parts.first, value.hasPrefix("The value '"), parts.count == 2 else {
      return nil
    }
    let rest = parts[1].split(separator: "'. Please provide one of ", maxSplits: 1)
    guard rest.count == 2 else { return nil }
    let words = String(rest[1]).replacing("the following: ", with: "")
      .replacing("'", with: "").replacing(" and ", with: ", ").replacing(" or ", with: ", ")
    let known = words.split(separator: ", ").map(String.init)
    let option = rest[0].prefix { $0 != " " }
    let word = String(value.dropFirst("The value '".count))
    let remedy =
      NearestName.suggestion(for: word, among: known) == nil
      ? "give \(Words.list(known, "or"))" : Suggestion.text(for: word, among: known)
    // An argument has no name that is typed.
    let place =
      option.hasPrefix("<") ? "\"\(word)\" is not known" : "\(option) \(word) is not valid"
    return CommandFailure(.input, "\(place); \(remedy)")
  }

  /// Returns the first repeated option; the parser would use its last value.
  private static func repetition(
    in arguments: [String], besides repeatable: Set<String>
  ) -> String? {
    var seen: Set<Substring> = []
    for word in arguments.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
      let name = word.prefix { $0 != "=" }
      if !repeatable.contains(String(name)), !seen.insert(name).inserted { return String(name) }
    }
    return nil
  }

  /// Returns the first option with a negative value, which none accepts; the parser would treat it as an
  /// option.
  private static func negativeNumber(
    in arguments: [String], of root: any ParsableCommand.Type
  ) -> CommandFailure? {
    let options = arguments.prefix { $0 != "--" }
    for (index, word) in options.enumerated() where word.hasPrefix("--") {
      let parts = word.split(separator: "=", maxSplits: 1)
      let value =
        parts.count == 2
        ? String(parts[1]) : index + 1 < options.count ? options[index + 1] : ""
      let isNumber = value.dropFirst().first.map { $0.isNumber || $0 == "." } ?? false
      if value.hasPrefix("-"), isNumber || Double(value) != nil {
        var joined = arguments
        if parts.count == 1 {
          joined.replaceSubrange(index...index + 1, with: ["\(word)=\(value)"])
        }
        do {
          _ = try root.parseAsRoot(joined)
        } catch {
          if let failure = choice(problem(error, of: root)) { return failure }
        }
        return CommandFailure(.input, "\(parts[0]): \(value) is negative; give a positive value")
      }
    }
    return nil
  }
}

/// An error of a library, with its exit status and message.
///
/// An executable adds conformances for errors that only it encounters.
package protocol ReportedError: Error {
  var failure: CommandFailure { get }
}

extension CommandFailure: ReportedError {
  package var failure: CommandFailure { self }
}

extension ScenarioError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension QuantityError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension CachePolicyError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension DivergenceError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "\(self)") }
}

extension StorageError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "storage: \(self)") }
}

extension ExportError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.fault, "\(self)") }
}

/// Commands renamed since earlier versions.
enum RenamedCommands {
  /// Returns the current name of a command; `nil`: there never was one with that name.
  static func newName(of command: String) -> String? {
    switch command {
    case "memory", "scale", "soak": "tidemark measure \(command)"
    case "peers": "tidemark measure alternatives"
    case "replay", "curve", "convert": "tidemark trace \(command)"
    case "bench-replay": "tidemark trace bench"
    case "trend": "tidemark report --trend"
    case "bench-designs": "tidemark measure designs"
    case "inspect": "tidemark explain"
    case "findings": "make findings"
    default: nil
    }
  }
}
