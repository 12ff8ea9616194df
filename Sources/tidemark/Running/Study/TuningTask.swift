import Analysis
import CommandLineInterface
import Workloads

/// Scenarios, and the settings to try in them.
struct TuningTask: Sendable {
  let inputs: [SimulationInput]
  let plan: SearchPlan
  /// Those named; none: each scenario's own.
  let policies: [String]
  let seed: UInt64?
  let seeds: SeedCount?
  /// Of each input.
  let settings: [[TunedSetting]]
  /// The fields of the columns, whoever has them.
  let parameters: [TuningParameter]

  init(
    inputs: [SimulationInput], plan: SearchPlan, policies: [String], seed: UInt64?,
    seeds: SeedCount?,
    parameters: [TuningParameter]? = nil
  ) throws {
    self.inputs = inputs
    self.plan = plan
    self.policies = policies
    self.seed = seed
    self.seeds = seeds
    self.parameters = parameters ?? plan.parameters
    let columns = self.parameters.map(\.name)
    settings = try inputs.map {
      try plan.settings(of: $0.file, policies: policies, columns: columns)
    }
    let count = settings.reduce(0) { $0 + $1.count }
    guard count <= SearchPlan.settingLimit else {
      throw CommandFailure(
        .input, "\(count) settings are more than \(SearchPlan.settingLimit); vary less")
    }
  }

  /// The first seed of each input.
  var firstSeeds: [UInt64] { inputs.map { seed ?? $0.file.scenario.seed } }

  /// After how many seeds to look; a recording is one.
  func seedPlan(of input: SimulationInput) -> SeedPlan {
    let usual: SeedPlan = plan.method == .grid ? .fixed(1) : .fixed(4)
    return input.isDrawn ? seeds?.plan ?? usual : .fixed(1)
  }

  /// Whether the scenarios compare the same on as many seeds, so that there is a total.
  var hasTotal: Bool {
    settings.allSatisfy { $0.map(\.label) == settings[0].map(\.label) }
      && inputs.allSatisfy { $0.isDrawn == inputs[0].isDrawn }
  }

  /// What a person should know before it begins.
  func notes(_ objectives: [Objective]) -> [String] {
    var notes: [String] = []
    if objectives.contains(where: \.needsFreshness) {
      for input in inputs where input.recordedTruth == .observed {
        notes.append(
          "\(input.name): weighed by hit_ratio instead of fresh_hit_ratio: what was fresh in the log "
            + "of an app is not known")
      }
    }
    // Where not every combination is there, none says of a field alone that it changes nothing.
    for (input, tried) in zip(inputs, settings) where plan.method == .grid {
      notes += IgnoredField.all(in: tried).map { $0.text(in: input.name) }
    }
    if !hasTotal {
      notes.append(
        "no total: the scenarios compare different policies, or only some are recordings; name what is "
          + "in all with --policies")
    }
    return notes
  }
}
