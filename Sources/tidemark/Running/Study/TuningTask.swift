import Analysis
import CacheModel
import CommandLineInterface
import ResultModel
import Workloads

/// Scenarios, and the settings to try in them.
struct TuningTask: Sendable {
  let inputs: [SimulationInput]
  let plan: SearchPlan
  /// The named policies; none: each scenario's own.
  let policies: [String]
  let seed: UInt64?
  let seeds: SeedCount?
  let settings: [[TunedSetting]]
  /// The fields of the columns, of any settings.
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

  var firstSeeds: [UInt64] { inputs.map { $0.firstSeed(seed) } }

  /// Returns the seed plan; for recordings one look at all users.
  func seedPlan(of input: SimulationInput) -> SeedPlan {
    let usual: SeedPlan = plan.method == .grid ? .fixed(1) : .fixed(4)
    return input.plan(seeds?.plan ?? usual)
  }

  var ofSearch: TuningTask {
    get throws {
      try TuningTask(
        inputs: inputs.map { $0.half(isJudged: false) }, plan: plan, policies: policies, seed: seed,
        seeds: seeds, parameters: parameters)
    }
  }

  /// Whether the scenarios have the same settings and numbers of seeds, so that there is a total.
  var hasTotal: Bool {
    settings.allSatisfy { $0.map(\.label) == settings[0].map(\.label) }
      && inputs.allSatisfy { $0.recorded?.users.count == inputs[0].recorded?.users.count }
  }

  /// Returns notes for the user before the search.
  func notes(_ objectives: [Objective]) -> [String] {
    var notes: [String] = []
    if let objective = objectives.first(where: \.isBounded) {
      for input in inputs where input.recordedTruth == .observed {
        notes.append(
          "\(input.name): searched by the lower bound of \(objective.metric.name): of some hits the log of an "
            + "app does not say whether they were fresh")
      }
    }
    // Unless all combinations are tried, it is unknown whether a single field has an effect.
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
  var trial: Int
  var fields: [String]
  /// The value of each field; `nil` if the policy keeps its own.
  var values: [String?]
  /// The fields that distinguish it in its search; all of them without a search.
  var telling: [String]
  var cache: ContenderCache

  /// The name in tables, and in its rows until they are written.
  var label: String {
    let parts = zip(fields, values).compactMap { field, value in
      let name = field.hasPrefix("\(policy).") ? String(field.dropFirst(policy.count + 1)) : field
      return telling.contains(field) ? value.map { "\(name)=\($0)" } : nil
    }
    return ([policy] + parts).joined(separator: " ")
  }

  var contender: Contender { Contender(name: label, cache: cache) }
}

/// A varied field without effect on some policies, such as a time to live for one that never expires: equal
/// rows for that reason are not a finding.
struct IgnoredField {
  var field: String
  var policies: [String]

  /// Returns the fields with more than one value whose values all give a policy the same cache, whatever the
  /// other fields.
  static func all(in settings: [TunedSetting]) -> [IgnoredField] {
    let fields = settings.first?.fields ?? []
    let policies = settings.distinct(\.policy)
    return fields.indices.compactMap { axis in
      guard Set(settings.map { $0.values[axis] }).count > 1 else { return nil }
      let deaf = policies.filter { policy in
        let own = settings.filter { $0.policy == policy }
        // An option of another cache is not one of its fields.
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

  func text(in scenario: String) -> String {
    "\(scenario): \(field) changes nothing for \(policies.joined(separator: ", ")); "
      + "Documentation/Scenarios.md says under `cache` which policies take it"
  }
}
