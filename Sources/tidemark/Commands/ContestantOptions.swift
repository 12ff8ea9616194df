import ArgumentParser
import CacheProcesses

/// Who is run: policies by name, and caches in processes of their own.
struct ContestantOptions: ParsableArguments {
  @OptionGroup var policies: PolicyNames

  @Option(
    help: ArgumentHelp(
      "Also run a cache in a process of its own: what a shell runs, which speaks the protocol of "
        + "Documentation/CacheProtocol.md. May be given several times.",
      valueName: "NAME=COMMAND"))
  var cache: [String] = []

  /// The names to run; none where each scenario's own list, and every cache, is meant.
  func names() throws(CommandFailure) -> [String] {
    let named = try policies.names()
    return named.isEmpty ? [] : named + (try commands().map(\.name))
  }

  /// The sessions with the caches beside their policies.
  func sessions(_ sessions: [Session]) throws(CommandFailure) -> [Session] {
    let caches = try commands().map { Contestant(name: $0.name, cache: .outside($0)) }
    return sessions.map { session in
      var session = session
      session.file.caches = caches
      return session
    }
  }

  /// What `--cache` was given, each under a name of its own.
  private func commands() throws(CommandFailure) -> [CacheCommand] {
    let named = try policies.names()
    var commands: [CacheCommand] = []
    for text in cache {
      let command = try CacheCommand(option: text)
      if named.contains(command.name) || commands.contains(where: { $0.name == command.name }) {
        throw CommandFailure(
          .input, "\"\(command.name)\" is named twice; give each cache a name of its own")
      }
      commands.append(command)
    }
    return commands
  }
}

extension CacheCommand {
  /// Reads what `--cache` was given.
  init(option text: String) throws(CommandFailure) {
    guard let command = CacheCommand(text) else {
      throw CommandFailure(
        .input,
        "--cache takes NAME=COMMAND, not \"\(text)\"; a name has letters, digits, -, _ and .")
    }
    self = command
  }
}
