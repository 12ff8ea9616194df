import ArgumentParser
import CacheProcesses
import CommandLineInterface
import Text

/// Who is run: policies by name, and caches in processes of their own.
struct ContenderOptions: ParsableArguments {
  @OptionGroup var policies: PolicyNames

  @OptionGroup var caches: CacheOptions

  /// The names to run; none where each scenario's own list, and every cache, is meant.
  func names() throws(CommandFailure) -> [String] {
    try caches.names(beside: policies.names())
  }
}

/// Caches in processes of their own.
struct CacheOptions: ParsableArguments {
  static let repeatable: Set = ["--cache"]

  @Option(
    help: ArgumentHelp(
      "Also run a cache in a process of its own: what a shell runs, which speaks the protocol of "
        + "Documentation/CacheProtocol.md. May be given several times.",
      valueName: "NAME=COMMAND"))
  var cache: [String] = []

  @Flag(help: "Run the commands that scenario files name as caches: read them first.")
  var allowCommands = false

  @OptionGroup var limits: CacheLimitOptions

  @Option(
    help: ArgumentHelp(
      "The folder for what caches that break a rule were told, as few turns as show it.",
      valueName: "DIR"))
  var failed: String?

  /// The inputs with the caches beside their policies.
  func inputs(_ inputs: [SimulationInput]) throws -> [SimulationInput] {
    let limits = try limits.limits()
    let transcripts = try failed.map(TranscriptFolder.init)
    let caches = try commands().map { command in
      var command = command
      command.limits = limits
      command.pace = TurnPace()
      return Contender(name: command.name, cache: .blackBox(command))
    }
    return inputs.map { input in
      var input = input
      input.file.caches = caches
      input.file.allowsCommands = allowCommands
      input.file.cacheLimits = limits
      input.file.transcripts = transcripts
      return input
    }
  }

  /// What `--cache` was given, each under a name of its own.
  func commands() throws(CommandFailure) -> [CacheCommand] {
    var commands: [CacheCommand] = []
    for text in cache {
      let command = try CacheCommand(option: text)
      if commands.contains(where: { $0.name == command.name }) {
        throw Self.namedTwice(command.name)
      }
      commands.append(command)
    }
    return commands
  }

  /// The names of policies and of all caches; none where no policy is named.
  func names(beside policies: [String]) throws(CommandFailure) -> [String] {
    let own = try commands().map(\.name)
    if let name = own.first(where: policies.contains) { throw Self.namedTwice(name) }
    return policies.isEmpty ? [] : policies + own
  }

  private static func namedTwice(_ name: String) -> CommandFailure {
    CommandFailure(.input, "\"\(name)\" is named twice; give each cache a name of its own")
  }

  /// The arguments that say the same.
  var arguments: [String] {
    cache.flatMap { ["--cache", $0] } + (allowCommands ? ["--allow-commands"] : [])
  }

  /// The same as words of a command line.
  var words: [String] { arguments.map(ShellWord.quoted) }
}
