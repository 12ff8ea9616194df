import CommandLineInterface
import Text
import Workloads

/// A policy with its own fields, as a scenario may write it: `recommend` tries and proposes these.
struct Proposal: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// An entry of the scenario, or a preset.
  var policy: String
  var fields: [Field] = []

  /// Its name in results: `lru with time-to-live 10 min`.
  var label: String {
    fields.isEmpty
      ? policy
      : "\(policy) with " + fields.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
  }

  /// The same with one limit, on memory, instead of all others.
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

  /// Without the limits on memory, which texts say apart.
  var withoutLimits: Proposal {
    var bare = self
    bare.fields.removeAll { Self.limits.contains($0.name) }
    return bare
  }

  /// - Throws: ``CommandFailure`` if the scenario has no such policy, or the policy no such field.
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
