import Analysis
import ArgumentParser
import CommandLineInterface
import ResultModel
import Text
import Workloads

struct RecommendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recommend",
    abstract: "Recommend a policy and its limits for an app.",
    discussion: """
      Tries equally many settings of LRU, reference counting and time to live, compares the best on other \
      seeds, lowers the memory while that costs at most half of the equivalence zone, and measures the result on held-out seeds. \
      With --client it tries only the parameters of that client, and prints the lines to paste. Recordings of \
      the same name are the users of one app: of 4 or more, half are held out; a confidence interval needs 8.

      EXAMPLES
        tidemark recommend chat
        tidemark recommend file-browser --memory 8MB --stale 1% --now ttl
        tidemark recommend issue-tracker --client relay --yaml recommended.yaml
        tidemark recommend 'logs/{user}-*.jsonl'
      """)

  @Argument(
    help: ArgumentHelp(
      "Name a scenario in Scenarios/, a scenario file (.yaml), or recorded sessions (.jsonl).",
      valueName: "INPUT"),
    completion: Completions.inputs)
  var inputs: [String]

  @Option(
    help: ArgumentHelp(
      "Limit the predicted memory of the cache; default: the scenario's limits.",
      valueName: "SIZE"))
  var memory: String?

  @Option(
    help: ArgumentHelp("Limit the share of stale reads.", valueName: "SHARE"))
  var stale: String?

  @Option(
    help: ArgumentHelp(
      "Try only what this client lets an app set: relay, tanstack, rtk-query, swr or apollo-kotlin; for "
        + "apollo-client, apollo-ios and graphcache, which have no settings, show what another cache would gain.",
      valueName: "NAME"))
  var client: String?

  @Option(
    help: ArgumentHelp(
      "Measure the gain against this policy, the app's current one; default: lru, or the client as it ships.",
      valueName: "POLICY"))
  var now: String?

  @Option(
    help: "Assume events by push, yes or no; default: as the scenario says.")
  var push: Push?

  enum Push: String, ExpressibleByArgument, CaseIterable {
    case yes, no
  }

  @OptionGroup var recordings: RecordingOptions

  @Option(help: "Start the random draws at this seed; default: the scenario's.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Also write the scenario with the recommended policy added; of a recording: a file for --scenario.",
      valueName: "FILE"))
  var yaml: String?

  func run() async throws {
    // A scenario may be replaced by itself with the policy added.
    let recorded = inputs.filter { !$0.hasSuffix(".yaml") }
    if let yaml { try OutputFile.check(yaml, reading: recorded) }
    let loaded = try SimulationInput.load(
      inputs, seed: seed, lender: recordings.lender.scenario, user: recordings.user,
      command: Self.configuration.commandName)
    guard loaded.count == 1 else {
      throw CommandFailure(
        .input,
        "\(loaded.map(\.name).joined(separator: ", ")): a recommendation is for one app; name one scenario, or "
          + "recordings of one name")
    }
    let input = try pushed(loaded[0])
    // The search takes minutes.
    if let now { try input.file.check(policy: now, of: "--now") }
    if let stale { _ = try Dimension.share.real(stale, of: "--stale", in: 0...1) }
    let reads = input.recordedReads
    if let obstacle = reads?.obstacle {
      throw CommandFailure(.data, "\(input.argument): \(obstacle)")
    }
    let client = try self.client.map(Self.knobs)
    let memory = try self.memory.map {
      Int(try Dimension.size.whole($0, of: "--memory", in: 1_000...1 << 40))
    }
    guard client == nil || memory == nil else {
      throw CommandFailure(
        .input,
        "--memory: the memory of a client in its own runtime is not predicted; omit it, or --client"
      )
    }
    let progress = ProgressLine("recommend")
    let goal = try rule(for: input)
    let outcome = try await RecommendSearch(
      input: input, reads: reads,
      rule: reads == nil ? goal : goal.countingUnknownHits(asFresh: false),
      otherRule: reads.map { _ in goal.countingUnknownHits(asFresh: true) },
      memory: memory, client: client, now: now,
      seed: seed, runner: StudyRunner(inputs: [input], progress: progress)
    ).run()
    progress.end()
    try Console.write(RecommendText(outcome: outcome).lines().map { $0 + "\n" }.joined())
    guard outcome.chosen.isRecommended else {
      throw CommandFailure(
        .data, yaml == nil ? "" : "--yaml: nothing is recommended, so nothing is written")
    }
    if let yaml { try write(outcome, to: yaml) }
  }

  /// Returns the input with or without events, as requested.
  private func pushed(_ input: SimulationInput) throws -> SimulationInput {
    guard let push else { return input }
    guard input.isDrawn, let document = input.file.document else {
      throw CommandFailure(
        .input, "--push: a recording has its own events; name a scenario, or omit it")
    }
    var pushed = input
    let events: NetworkSection.Events = push == .yes ? .push : .none
    let changed = try document.setting("network.events", to: events.rawValue)
    pushed.file.document = changed
    pushed.file.scenario = try changed.scenario(vocabulary: .all)
    return pushed
  }

  private func rule(for input: SimulationInput) throws(CommandFailure) -> Goal {
    var goal = Goal(input.file.scenario.goal)
    // The limits of a scenario are for caches that have limits.
    if client != nil { goal = goal.withoutLimits }
    guard let stale else { return goal }
    do throws(ScenarioError) {
      let limit = try GoalSection.Limit(
        "\(Metric.staleReadShare.name) <= \(stale)", of: "--stale")
      return goal.subject(to: [
        Constraint(Figure(limit.metric, limit.statistic), limit.comparison, limit.limit)
      ])
    } catch {
      throw CommandFailure(.input, "\(error)")
    }
  }

  private static func knobs(of name: String) throws(CommandFailure) -> ClientKnobs {
    guard let client = ClientKnobs.named(name) else {
      throw CommandFailure(
        .input,
        "--client \(name): no such client; \(Suggestion.text(for: name, among: ClientKnobs.all.map(\.name)))"
      )
    }
    return client
  }

  /// Writes the scenario, or what a recording is lent, with what is recommended among its policies.
  private func write(_ outcome: RecommendOutcome, to path: String) throws {
    let file = outcome.input.file
    let names = file.scenario.policies.map(\.name).joined(separator: ", ")
    let document =
      try file.document ?? ScenarioDocument(Array("policies: [\(names)]".utf8), file: path)
    let entry = outcome.answer.entry(in: document)
    try OutputFile.write(document.addingPolicy(entry).yaml, to: path)
  }
}
