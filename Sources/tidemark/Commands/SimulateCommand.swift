import Analysis
import ArgumentParser
import CacheProcesses
import CacheSimulation
import CommandLineInterface
import Reporting
import Text
import Workloads

struct SimulateCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions = CacheOptions.repeatable

  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run policies in virtual time; --seeds picks a winner.",
    discussion: """
      A recording takes policies, limits and goal from --scenario FILE; else from the scenario of its name in \
      Scenarios/; else it has the defaults, which are printed. Recordings of the same name are the users \
      of one app: differences are paired by user, and fewer than 4 give no verdict. Only `gate` \
      fails on a target, if the baseline met it.

      EXAMPLES
        tidemark simulate file-browser
        tidemark simulate file-browser --seeds auto
        tidemark simulate slow-link --policies lru,ttl --seeds 20 --format csv
        tidemark simulate file-browser --policies lru,ttl --outcomes reads.csv
        tidemark simulate flaky-network --cache 'mine=python3 Adapters/lru.py'
        tidemark simulate session.jsonl --scenario limits.yaml
        tidemark simulate ann-1.jsonl ann-2.jsonl bob-1.jsonl --user '{user}-*.jsonl'
      """)

  @Argument(
    help: ArgumentHelp(
      "Name scenarios in Scenarios/, scenario files (.yaml), or recorded sessions (.jsonl).",
      valueName: "SCENARIO"),
    completion: Completions.inputs)
  var names: [String]

  @OptionGroup var contenders: ContenderOptions

  @OptionGroup var recordings: RecordingOptions

  @Option(help: "Start the random draws at this seed; default: the scenario's.")
  var seed: UInt64?

  @Option(help: SeedCount.help)
  var seeds: SeedCount?

  @Flag(help: "Skip the robustness checks that take more runs: other users, durations and memory.")
  var noRobustness = false

  @Option(
    help: ArgumentHelp(
      "Also write the simulated session as a recording (JSON Lines); takes one scenario.",
      valueName: "FILE"))
  var record: String?

  @Option(
    help: ArgumentHelp(
      "Also write the outcome of each read of the first seed or recording, for `diff`.",
      valueName: "FILE"))
  var outcomes: String?

  @Flag(
    help: "Also print the runs and processor seconds of each part, and each external cache's pace.")
  var timing = false

  @OptionGroup var result: ResultOutput

  func run() async throws {
    if record != nil, names.count != 1 {
      throw CommandFailure(.input, "--record takes one scenario, not \(names.count)")
    }
    try checkOutputs()
    let inputs = try contenders.caches.inputs(
      SimulationInput.load(
        names, seed: seed, lender: recordings.lender.scenario,
        user: recordings.user, command: Self.configuration.commandName))
    try SimulationInput.checkSeeds(seeds, of: inputs)
    if record != nil, let recording = inputs.first(where: { !$0.isDrawn }) {
      throw CommandFailure(
        .input,
        "--record: \(recording.arguments[0]) is a recording already; copy the file, or name a scenario"
      )
    }
    // All names are checked before the first simulation.
    let fields = try inputs.map { ($0, try $0.file.contenders(contenders.names())) }
    if let record, let input = inputs.first {
      let workload = input.workload(seed: seed)
      try OutputFile.write(SessionRecording.write(workload), to: record)
    }
    let progress = ProgressLine("simulate")
    let verdicts = try await Verdicts.run(
      fields.map { $0.comparison(of: $1, seed: seed, seeds: seeds) },
      isRobustnessAsked: !noRobustness,
      progress: progress
    ) { [noRobustness, seeds] verdict, _ in
      // The checks of a verdict take longer than the verdict.
      guard !noRobustness, seeds != nil else { return }
      progress.announce("\(verdict.scenario): \(VerdictText.sentence(verdict))")
    }
    progress.end()
    if timing {
      Console.note(verdicts.parts.table(style: .plain))
      for cache in inputs.first?.file.caches ?? [] {
        cache.cache.pace.map { Console.note("cache \(cache.name): \($0.words)") }
      }
    }
    if let outcomes { try writeOutcomes(of: fields, to: outcomes) }
    let targets = fields.flatMap { $0.file.targets(for: $1) }
    let marks = CommandMarks(fields.flatMap(\.1), claims: verdicts.claims)
    try result.write(verdicts.rows, added: marks.columns(of: verdicts.rows)) {
      var report = BenchReport(
        rows: verdicts.means, verdicts: verdicts.verdicts, targets: targets,
        judged: verdicts.judged)
      for (input, contenders) in fields {
        report.notes[input.name] = PushNote.line(
          on: contenders, in: input, seed: seed, options: recordings.arguments(of: names))
      }
      return report.text(style: Console.style) + marks.text
        + marks.guidance(for: verdicts.means) + forAVerdict(verdicts.verdicts)
    }
    try verdicts.failures.throwIfAny()
  }

  /// The command after one seed, or the recordings after one user: neither decides anything.
  private func forAVerdict(_ verdicts: [ScenarioVerdict]) -> String {
    if verdicts.contains(where: { $0.recorded?.ifFresh.seeds == 1 }) {
      let fewest = Replicate.user.fewestForInterval
      return "\nFor a verdict: record \(fewest) or more users, and name every file\n"
    }
    let isOpen = verdicts.contains {
      if case .bestOfOneSeed = $0.verdict?.outcome { true } else { false }
    }
    guard isOpen, seed == nil else { return "" }
    let words = names.map { ShellWord.quoted($0) }.joined(separator: " ")
    return "\nFor a verdict: tidemark simulate \(words) --seeds auto\n"
  }

  private func checkOutputs() throws {
    let files =
      [("--output", result.output)]
      + [("--record", record), ("--outcomes", outcomes)].compactMap { option, path in
        path.map { (option, $0) }
      }
    for (index, (option, path)) in files.enumerated() {
      try OutputFile.check(path, reading: names)
      if let other = files[..<index].first(where: { $0.1 == path }) {
        throw CommandFailure(
          .input, "\(option) and \(other.0) both name \(path); give each a file of its own")
      }
    }
  }

  /// A failed policy has no reads there; its run reports the error.
  private func writeOutcomes(of fields: [(SimulationInput, [Contender])], to path: String) throws {
    try OutputFile.write(to: path) { write in
      try write(ReadTable.header)
      for (input, contenders) in fields {
        let simulations = input.simulations(seed: seed ?? input.firstSeed(nil))
        for contender in contenders {
          guard let reads = try input.readsIfAny(of: contender, on: simulations[0]) else {
            continue
          }
          try write(
            ReadTable.lines(reads.map { ReadLine($0, of: contender.name, in: simulations[0]) }))
        }
      }
    }
  }
}

extension ReadLine {
  init(_ read: ReadRecord, of policy: String, in simulation: Simulation) {
    let workload = simulation.workload
    self.init(
      scenario: workload.name, policy: policy, seed: workload.seed,
      client: workload.clients[read.client].name, action: read.action, at: read.at,
      read: simulation.name(of: read.subject), outcome: read.outcome, waited: read.waited,
      age: read.age,
      difference: read.difference.map { Difference(word: $0.kind.rawValue, row: $0.row) })
  }
}

/// The contenders: policies by name, and caches in separate processes.
struct ContenderOptions: ParsableArguments {
  @OptionGroup var policies: PolicyNames

  @OptionGroup var caches: CacheOptions

  /// Returns the names to run; none means each scenario's own list, and every cache.
  func names() throws(CommandFailure) -> [String] {
    try caches.names(beside: policies.names())
  }
}

struct CacheOptions: ParsableArguments {
  static let repeatable: Set = ["--cache"]

  @Option(
    help: ArgumentHelp(
      "Run an external cache too: a shell command that speaks the protocol of "
        + "Documentation/CacheProtocol.md. Repeatable.",
      valueName: "NAME=COMMAND"))
  var cache: [String] = []

  @Flag(help: "Run the commands that scenario files name as caches: read them first.")
  var allowCommands = false

  @OptionGroup var limits: CacheLimitOptions

  @Option(
    help: ArgumentHelp(
      "Write the shortest failing input of each cache that breaks a rule to this folder.",
      valueName: "DIR"))
  var failed: String?

  /// Returns the inputs with the caches added to their policies.
  func inputs(_ inputs: [SimulationInput]) throws -> [SimulationInput] {
    let limits = try limits.limits()
    let transcripts = try failed.map(TranscriptFolder.init)
    let caches = try commands().map { command in
      try command.checkProgram(of: "--cache \(command.name)")
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

  /// Returns the caches of `--cache`, with unique names.
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

  /// Returns the names of policies and of all caches; none if no policy is named.
  func names(beside policies: [String]) throws(CommandFailure) -> [String] {
    let own = try commands().map(\.name)
    if let name = own.first(where: policies.contains) { throw Self.namedTwice(name) }
    return policies.isEmpty ? [] : policies + own
  }

  private static func namedTwice(_ name: String) -> CommandFailure {
    CommandFailure(.input, "\"\(name)\" is named twice; give each cache a name of its own")
  }

  /// The equivalent arguments.
  var arguments: [String] {
    cache.flatMap { ["--cache", $0] } + (allowCommands ? ["--allow-commands"] : [])
  }
}
