import Analysis
import ArgumentParser
import CommandLineInterface
import Workloads

struct TuneCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions = CacheOptions.repeatable.union(
    ["--vary", "--subject-to", "--require", "--hold-out"])

  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Search for the best settings of a cache.",
    discussion: """
      The first line names the best setting. The first column of a table marks the Pareto front: settings \
      that no other beats in every objective. In csv and json that is on_front (yes, no, or equal: the \
      same as an earlier row on the front), and each field has a column. Settings that make the same \
      cache run once and share a row. Several scenarios are judged together, a seed of each at a time.

      --method grid tries every combination; random, sobol and halving try --trials points. \
      With --against each rival gets as many trials, and the best of each is judged once, on \
      --hold-out scenarios and unused seeds.

      EXAMPLES
        tidemark tune file-browser --vary capacity-entities=1000..20000 \\
          --vary eviction-order=lru,sieve
        tidemark tune file-browser --policies lru --seeds 20 \\
          --vary capacity-memory=1MB..20MB \\
          --minimize predicted_bytes --require 'fresh_hit_ratio >= 85%'
        tidemark tune file-browser photo-albums --policies lru --seeds 5 \\
          --method sobol --trials 64 --vary eviction-order=lru,sieve,lfu \\
          --vary policy.time-to-live=1min..1d --journal runs.jsonl
        tidemark simulate file-browser --policies lru --record session.jsonl
        tidemark tune session.jsonl --policies lru,ttl --vary capacity-bytes=1MB,4MB
        tidemark tune flaky-network --policies lru --vary mine.ttl=30..300 \\
          --cache 'mine=python3 Adapters/lru.py --ttl {ttl}' \\
          --objective fresh_hit_ratio,bytes_fetched
      """)

  @OptionGroup var study: StudyOptions

  @OptionGroup var caches: CacheOptions

  @OptionGroup var rule: TuningRule

  @Flag(
    help:
      "Drop settings that are worse, at 95 % over all looks, after 5, 10, 20 … of --seeds seeds.")
  var race = false

  @Option(
    help: ArgumentHelp(
      "Compare with these policies: tune each in as many trials, by the fields that keep its design.",
      valueName: "a,b"),
    completion: Completions.policies)
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Judge the best on this scenario, which the search does not use. Repeatable.",
      valueName: "SCENARIO"),
    completion: Completions.inputs)
  var holdOut: [String] = []

  @Option(help: "Judge the best on this many unused seeds.")
  var freshSeeds = 20

  @Option(
    help: ArgumentHelp(
      "Keep every run in this file, and reuse the runs in it, so that a stopped search resumes.",
      valueName: "FILE"))
  var journal: String?

  @Option(
    help: ArgumentHelp(
      "Write the first scenario with the best setting as its policy.", valueName: "FILE"))
  var best: String?

  @OptionGroup var result: ResultOutput

  func run() async throws {
    try check()
    // What is misspelled is said before the files are read.
    _ = try rule.objectives(of: [])
    try OutputFile.check(result.output, reading: self.study.scenarios)
    if let best { try OutputFile.check(best) }
    let whole = try self.study.load(
      caches: caches, command: Self.configuration.commandName)
    let objectives = try rule.objectives(of: whole.inputs)
    var judged =
      try holdOut.isEmpty
      ? []
      : caches.inputs(
        SimulationInput.load(
          holdOut, seed: self.study.seed, command: Self.configuration.commandName))
    try OutputFile.checkApart(
      [journal, best, result.output].compactMap(\.self),
      reading: (whole.inputs + judged).flatMap(\.paths))
    try checkHeldOut(judged, whole.inputs)
    // Users are used once: half of them for the search, the others for the judgement.
    let isSplit = against != nil && whole.inputs.allSatisfy { !$0.isDrawn }
    let study = isSplit ? try whole.ofSearch : whole
    if isSplit { judged = whole.inputs.map { $0.half(isJudged: true) } }
    study.notes(objectives).forEach { Console.note($0) }
    let journal = try self.journal.map { try StudyJournal($0) }
    if let journal, journal.wasTorn {
      Console.note("\(journal.path): its last line is incomplete; that run is repeated")
    }
    let progress = ProgressLine("tune")
    let search = TuningSearch(
      study: study, rule: try rule.rule(for: study.inputs[0]), isRace: race,
      runner: StudyRunner(inputs: study.inputs, journal: journal, progress: progress))
    let rivals = try against.map { try PolicyNames.list($0).map { ($0, try search.of(rival: $0)) } }
    let found = try await search.run()
    var failures = found.failures
    let judgement = try await judge(search, found, rivals ?? [], on: judged, &failures)
    progress.end()
    // It is kept although nobody may read the table.
    var unwritten: (any Error)?
    if let best {
      do { try BestScenario(found, study).write(to: best) } catch { unwritten = error }
    }
    let table = TuningTable(objectives, found, fields: study.parameters.map(\.name))
    try result.write(table.plainRows, added: table.columns) {
      table.text(style: Console.style, judgement: judgement)
    }
    if result.format != .table { (found.lines + judgement).forEach { Console.note($0) } }
    if let unwritten { throw unwritten }
    try failures.throwIfAny()
  }

  /// Rejects contradictory options.
  private func check() throws(CommandFailure) {
    guard (2...1_000).contains(freshSeeds) else {
      throw CommandFailure(.input, "--fresh-seeds is \(freshSeeds); give 2 to 1000")
    }
    guard against == nil || study.method != .grid else {
      throw CommandFailure(
        .input,
        "--against requires a number of trials, which a grid lacks; add --method sobol --trials N")
    }
    guard holdOut.isEmpty || against != nil else {
      throw CommandFailure(
        .input, "--hold-out: there is no policy to judge against; add --against lru,ttl")
    }
    guard !race || study.seeds?.plan.looks.first ?? 0 >= 5 && study.seeds?.plan.looks.count == 1
    else {
      throw CommandFailure(.input, "--race requires --seeds N, with N at least 5")
    }
  }

  private func checkHeldOut(
    _ judged: [SimulationInput], _ training: [SimulationInput]
  ) throws(CommandFailure) {
    for input in judged {
      guard input.isDrawn else {
        throw CommandFailure(
          .input,
          "--hold-out \(input.argument): a recording has no fresh seeds; of 4 users or more, half are held out "
            + "by themselves")
      }
      guard !training.contains(where: { $0.name == input.name }) else {
        throw CommandFailure(
          .input,
          "--hold-out \(input.argument): the search uses \(input.name); hold out another")
      }
    }
    let fewest = Replicate.user.fewestForInterval
    guard against == nil || training.allSatisfy({ $0.recorded?.users.count ?? fewest >= fewest })
    else {
      throw CommandFailure(
        .input,
        "--against: half of the users judge what was found on the others; name recordings of \(fewest) users or "
          + "more, or scenarios")
    }
    guard judged.isEmpty || training.allSatisfy(\.isDrawn) else {
      throw CommandFailure(
        .input, "--hold-out: half of the users of recordings are held out; leave it out")
    }
    guard against == nil || training.allSatisfy({ $0.isDrawn == training[0].isDrawn }) else {
      throw CommandFailure(
        .input, "--against: scenarios are judged on seeds, recordings on users; name one kind")
    }
  }

  /// Searches for each rival, and judges; no effect without rivals.
  private func judge(
    _ search: TuningSearch, _ found: TuningOutcome,
    _ rivals: [(name: String, search: TuningSearch)],
    on judged: [SimulationInput], _ failures: inout [ContenderFailure]
  ) async throws -> [String] {
    guard !rivals.isEmpty, let own = found.best else { return [] }
    var finalists = [own]
    var lines: [String] = []
    for rival in rivals {
      let outcome = try await rival.search.run()
      failures += outcome.failures
      lines.append("\(rival.name), as many trials: \(outcome.line?.text ?? "no figures")")
      if let best = outcome.best { finalists.append(best) }
    }
    return lines
      + (try await search.judgement(
        of: finalists, on: judged.isEmpty ? search.study.inputs : judged, seeds: freshSeeds))
  }
}

/// The scenarios, fields and seeds that `tune` and `sweep plan` try.
struct StudyOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Name scenarios in Scenarios/, scenario files (.yaml), or recorded sessions (.jsonl).",
      valueName: "SCENARIO"),
    completion: Completions.inputs)
  var scenarios: [String]

  @Option(
    help: ArgumentHelp(
      """
      Vary this field of the cache section over its values: a list, or a range for numbers, in equal ratios \
      (linear:a..b: in equal steps). policy.FIELD: a field of the policy that its preset uses. \
      CACHE.OPTION: the value of {OPTION} in the command of that cache. Repeatable.
      """,
      valueName: "FIELD=a,b,c|a..b"),
    completion: Completions.cacheFields)
  var vary: [String]

  @Option(help: "Cut each range of a grid into this many values.")
  var steps = 8

  @Option(help: "Choose points by this method; halving is successive halving.")
  var method = SearchMethod.grid

  @Option(help: "Try this many points, with every method but grid.")
  var trials = 64

  @OptionGroup var policies: PolicyNames

  @OptionGroup var recordings: RecordingOptions

  @Option(help: "Start the random draws at this seed; default: the scenario's.")
  var seed: UInt64?

  @Option(help: SeedCount.help)
  var seeds: SeedCount?

  func load(caches: CacheOptions? = nil, command: String?) throws -> TuningTask {
    guard (2...1_000).contains(steps) else {
      throw CommandFailure(.input, "--steps is \(steps); give 2 to 1000")
    }
    guard (2...SearchPlan.settingLimit).contains(trials) else {
      throw CommandFailure(
        .input, "--trials is \(trials); give 2 to \(SearchPlan.settingLimit)")
    }
    var inputs = try SimulationInput.load(
      scenarios, seed: seed, lender: recordings.lender.scenario,
      user: recordings.user, command: command)
    try SimulationInput.checkSeeds(seeds, of: inputs)
    if let caches { inputs = try caches.inputs(inputs) }
    let parameters = try TuningParameter.all(
      vary, commands: inputs.flatMap(\.file.commands),
      models: inputs.map(\.file.scenario.model))
    let plan = try SearchPlan(method, parameters, trials: trials, steps: steps, seed: seed ?? 1)
    if method == .halving, let seeds, case .automatic = seeds {
      throw CommandFailure(.input, "--method halving requires --seeds N")
    }
    let named = try policies.names()
    let names = try caches?.names(beside: named) ?? named
    return try TuningTask(
      inputs: inputs, plan: plan, policies: names, seed: seed, seeds: seeds)
  }
}
