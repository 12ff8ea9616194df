import Analysis
import ArgumentParser
import CommandLineInterface
import Workloads

/// What `tune` and `sweep plan` try: scenarios, fields and seeds.
struct StudyOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Names in Scenarios/, paths of scenario files (.yaml), or recorded sessions (.jsonl).",
      valueName: "SCENARIO"))
  var scenarios: [String]

  @Option(
    help: ArgumentHelp(
      """
      A field of the cache section and its values: a list, or a range for numbers, in equal ratios \
      (linear:a..b: in equal steps). policy.FIELD: the policy's own, whatever its preset has a use for. \
      CACHE.OPTION: what stands for {OPTION} in the command of that cache. Repeatable.
      """,
      valueName: "FIELD=a,b,c|a..b"))
  var vary: [String]

  @Option(help: "How many values a range of a grid is cut into.")
  var steps = 8

  @Option(help: "grid, random, sobol or halving (successive).")
  var method = SearchMethod.grid

  @Option(help: "How many points are tried, by every method but grid.")
  var trials = 64

  @OptionGroup var policies: PolicyNames

  @Option(help: "The first seed of all random numbers; default: the scenario's.")
  var seed: UInt64?

  @Option(help: SeedCount.help)
  var seeds: SeedCount?

  /// Reads all of it.
  func load(caches: CacheOptions? = nil, command: String?) throws -> TuningTask {
    guard (2...1_000).contains(steps) else {
      throw CommandFailure(.input, "--steps is \(steps); give 2 to 1000")
    }
    guard (2...SearchPlan.settingLimit).contains(trials) else {
      throw CommandFailure(
        .input, "--trials is \(trials); give 2 to \(SearchPlan.settingLimit)")
    }
    var inputs = try SimulationInput.load(scenarios, seed: seed, command: command)
    if let caches { inputs = try caches.inputs(inputs) }
    let parameters = try TuningParameter.all(
      vary, commands: inputs.flatMap(\.file.commands),
      models: inputs.map(\.file.scenario.model))
    let plan = try SearchPlan(method, parameters, trials: trials, steps: steps, seed: seed ?? 1)
    if method == .halving, let seeds, case .automatic = seeds {
      throw CommandFailure(.input, "--method halving: give --seeds a number, which it shares out")
    }
    let named = try policies.names()
    let names = try caches?.names(beside: named) ?? named
    return try TuningTask(
      inputs: inputs, plan: plan, policies: names, seed: seed, seeds: seeds)
  }
}
