import Analysis
import CacheModel
import CommandLineInterface
import ResultModel
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
  /// The fields of the columns, of whichever settings.
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
  var firstSeeds: [UInt64] { inputs.map { $0.firstSeed(seed) } }

  /// After how many seeds to look; at recordings once, at all users.
  func seedPlan(of input: SimulationInput) -> SeedPlan {
    let usual: SeedPlan = plan.method == .grid ? .fixed(1) : .fixed(4)
    return input.plan(seeds?.plan ?? usual)
  }

  /// The same on half of the users.
  var ofSearch: TuningTask {
    get throws {
      try TuningTask(
        inputs: inputs.map { $0.half(isJudged: false) }, plan: plan, policies: policies, seed: seed,
        seeds: seeds, parameters: parameters)
    }
  }

  /// Whether the scenarios compare the same on as many seeds, so that there is a total.
  var hasTotal: Bool {
    settings.allSatisfy { $0.map(\.label) == settings[0].map(\.label) }
      && inputs.allSatisfy { $0.recorded?.users.count == inputs[0].recorded?.users.count }
  }

  /// What a person should know before it begins.
  func notes(_ objectives: [Objective]) -> [String] {
    var notes: [String] = []
    if let objective = objectives.first(where: \.isBounded) {
      for input in inputs where input.recordedTruth == .observed {
        notes.append(
          "\(input.name): searched by the lower bound of \(objective.metric.name): of some hits the log of an "
            + "app does not say whether they were fresh")
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

/// A policy with a value for each varied field.
struct TunedSetting: Sendable {
  var policy: String
  /// The number of the values in their search.
  var trial: Int
  var fields: [String]
  /// One for each field; `nil` of one that the policy keeps its own of.
  var values: [String?]
  /// The fields that distinguish it from the others of its search; all of them without a search.
  var telling: [String]
  var cache: ContenderCache

  /// Its name in tables, and in its rows until they are written.
  var label: String {
    let parts = zip(fields, values).compactMap { field, value in
      let name = field.hasPrefix("\(policy).") ? String(field.dropFirst(policy.count + 1)) : field
      return telling.contains(field) ? value.map { "\(name)=\($0)" } : nil
    }
    return ([policy] + parts).joined(separator: " ")
  }

  var contender: Contender { Contender(name: label, cache: cache) }
}

/// A varied field that changes nothing for some policies, such as a time to live for one that never
/// expires: rows that are equal for that reason are no finding.
struct IgnoredField {
  var field: String
  var policies: [String]

  /// The fields with more than one value whose values all give a policy the same cache, whatever the
  /// other fields say.
  static func all(in settings: [TunedSetting]) -> [IgnoredField] {
    let fields = settings.first?.fields ?? []
    let policies = settings.distinct(\.policy)
    return fields.indices.compactMap { axis in
      guard Set(settings.map { $0.values[axis] }).count > 1 else { return nil }
      let deaf = policies.filter { policy in
        let own = settings.filter { $0.policy == policy }
        // An option of another cache is none of its fields.
        return own.contains { $0.values[axis] != nil } && isIgnored(axis, in: own)
      }
      return deaf.isEmpty ? nil : IgnoredField(field: fields[axis], policies: deaf)
    }
  }

  private static func isIgnored(_ axis: Int, in settings: [TunedSetting]) -> Bool {
    var known: [[String?]: ContenderCache] = [:]
    for setting in settings {
      var others = setting.values
      others.remove(at: axis)
      guard known[others, default: setting.cache] == setting.cache else { return false }
      known[others] = setting.cache
    }
    return true
  }

  /// The sentence for a person.
  func text(in scenario: String) -> String {
    "\(scenario): \(field) changes nothing for \(policies.joined(separator: ", ")); "
      + "Documentation/Scenarios.md says under `cache` which policies take it"
  }
}
