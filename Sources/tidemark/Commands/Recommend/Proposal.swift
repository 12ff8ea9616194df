import CommandLineInterface
import Text
import Workloads

/// A policy with overrides, in a scenario's syntax, as `recommend` tries and proposes it.
struct Proposal: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// An entry of the scenario, or a preset.
  var policy: String
  var fields: [Field] = []

  /// The name in results: `lru with time-to-live 10 min`.
  var label: String {
    fields.isEmpty
      ? policy
      : "\(policy) with " + fields.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
  }

  /// Returns the proposal with one memory limit instead of all others.
  func held(toMemory bytes: Int) -> Proposal {
    var held = self
    held.fields.removeAll { Self.limits.contains($0.name) }
    held.fields += [
      Field(name: "capacity-entities", value: "unlimited"),
      Field(name: "capacity-memory", value: "\(bytes) B"),
      Field(name: "maximum-queries", value: "unlimited"), Field(name: "limit", value: "hard"),
    ]
    return held
  }

  private static let limits: Set = [
    "capacity-entities", "capacity-memory", "maximum-queries", "limit",
  ]

  /// The proposal without memory limits, which texts state separately.
  var withoutLimits: Proposal {
    var bare = self
    bare.fields.removeAll { Self.limits.contains($0.name) }
    return bare
  }

  /// - Throws: ``CommandFailure`` if the scenario lacks the policy, or the policy lacks the field.
  func setting(in file: ScenarioFile) throws -> TunedSetting {
    guard let contender = try file.contenders([policy]).first else {
      preconditionFailure("a name that is unknown has thrown")
    }
    let cache = try file.cache(
      of: contender, with: fields.map { (field: $0.name, value: $0.value) })
    return TunedSetting(
      policy: label, trial: 0, fields: [], values: [], telling: [], cache: cache)
  }
}
