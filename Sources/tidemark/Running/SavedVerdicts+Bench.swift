import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import Reporting
import ResultModel
import Text
import Workloads

extension SavedVerdicts {
  /// Creates the data of a report besides its rows.
  init(
    _ simulated: Verdicts, of inputs: [SimulationInput], judgements: [TargetJudgement],
    rerun: Rerun,
    marks: CommandMarks
  ) {
    self.init()
    unasked = simulated.unasked
    add(judgements)
    let known: [SavedPolicy] =
      inputs.flatMap { Self.policies(of: $0.file.scenario) } + marks.policies
    policies = known.distinct(\.name).compactMap { name in known.first { $0.name == name } }
      .sorted { $0.name < $1.name }
    scenarios = zip(inputs, simulated.verdicts).map { input, verdict in
      var saved = SavedScenario(
        verdict, effects: simulated.axes, verdictCommand: rerun.verdict(of: input),
        rowsCommand: rerun.rows(of: input))
      saved.knee = simulated.knees[input.name]
      saved.limits = input.sharedLimits.text
      saved.limitsCommand = rerun.limits(of: input)
      saved.recordedUsers = input.recorded?.users.count
      guard input.isDrawn else { return saved }
      let scenario = input.file.scenario
      saved.summary = scenario.summary
      saved.duration = scenario.duration.wholeNanoseconds
      saved.warmUp = scenario.warmUpDuration.wholeNanoseconds
      saved.faults = scenario.faults.map {
        SavedFault(
          kind: $0.kind.rawValue, client: $0.client, begin: $0.at.wholeNanoseconds,
          end: ($0.at + $0.length).wholeNanoseconds)
      }
      return saved
    }
  }
}

extension SavedVerdicts {
  /// Returns the definitions of a scenario's policies: presets with overrides.
  private static func policies(of scenario: Scenario) -> [SavedPolicy] {
    let content = ScenarioContent(scenario).contenders
    return scenario.policies.compactMap { entry in
      guard let preset = entry.preset,
        let summary = Preset.named(preset)?.summary ?? entry.design?.summary
      else { return nil }
      let path = "policies.\(entry.name)."
      let changes = content.filter { $0.path.hasPrefix(path) && $0.path != path + "preset" }
        .map { "\($0.path.dropFirst(path.count)) \($0.text)" }
      guard !changes.isEmpty else {
        return SavedPolicy(name: entry.name, meaning: summary)
      }
      return SavedPolicy(
        name: entry.name, meaning: "\(preset) with \(changes.joined(separator: ", "))")
    }
  }
}

/// The commands that reproduce the results of a bench, by scenario.
struct Rerun {
  var policies: String?
  var caches: [String]
  var recordings: [String]
  var seed: UInt64?
  var seeds: SeedCount

  /// Returns the command for the verdict, with all checks.
  func verdict(of input: SimulationInput) -> String {
    let count =
      switch seeds {
      case .automatic: "auto"
      case .fixed(let count): String(count)
      }
    return command(for: input, seeds: count)
  }

  /// What searches limits to ship.
  func limits(of input: SimulationInput) -> String {
    (["tidemark", "recommend"] + input.arguments.map(ShellWord.quoted)
      + (input.isDrawn ? [] : recordings)).joined(separator: " ")
  }

  /// The rows of the seeds that every policy runs.
  func rows(of input: SimulationInput) -> String {
    command(for: input, seeds: String(seeds.plan.common))
      + " --no-robustness --format csv"
  }

  private func command(for input: SimulationInput, seeds count: String) -> String {
    var words = ["tidemark", "simulate"] + input.arguments
    if let policies { words += ["--policies", policies] }
    words += caches
    if !input.isDrawn { words += recordings }
    if input.isDrawn {
      if let seed { words += ["--seed", String(seed)] }
      if count != "1" { words += ["--seeds", count] }
    }
    return ShellWord.line(words)
  }
}

extension SharedLimits {
  /// "10,000 entities, 100 queries".
  fileprivate var text: String {
    func count(_ number: Int?, _ noun: String) -> String? {
      number.map { "\(HumanNumber.count(Double($0))) \(noun)" }
    }
    let parts = [
      count(capacity.entities, "entities"), count(maximumQueries, "queries"),
      capacity.bytes.map { "\(HumanNumber.bytes(Double($0))) of values" },
      capacity.memory.map { "\(HumanNumber.bytes(Double($0))) of memory" },
    ].compactMap(\.self)
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
