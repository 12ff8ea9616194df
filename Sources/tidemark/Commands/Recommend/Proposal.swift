import CommandLineInterface
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

  /// The label where all have the same limits: short, and different for a policy with the limits of the app.
  var shortLabel: String {
    var bare = self
    bare.fields.removeAll { Self.limits.contains($0.name) }
    guard bare.fields.isEmpty else { return bare.label }
    return fields.isEmpty ? "\(policy) as it is" : "\(policy) limited in memory alone"
  }

  /// The same with one limit, on memory, instead of all others.
  ///
  /// - Parameter bytes: `nil`: without any limit.
  /// - Returns: A proposal in which the size is rounded down to few digits.
  func held(toMemory bytes: Int?) -> Proposal {
    var held = self
    held.fields.removeAll { Self.limits.contains($0.name) }
    held.fields += Self.limits.map { name in
      let limit =
        name == "limit" ? "hard" : name == "capacity-memory" ? bytes.map(Self.sizeInWords) : nil
      return Field(name: name, value: limit ?? "unlimited")
    }
    return held
  }

  private static let limits = [
    "capacity-entities", "capacity-bytes", "maximum-queries", "capacity-memory", "limit",
  ]

  /// The largest size of few digits that is no larger, in bytes: what is simulated is what is printed.
  static func inFewDigits(_ bytes: Int) -> Int { bytes / step(of: bytes) * step(of: bytes) }

  /// The smallest size of few digits that is no smaller, in bytes.
  static func inFewDigits(atLeast bytes: Double) -> Int {
    let whole = Int(bytes.rounded(.up))
    return inFewDigits(whole + step(of: whole) - 1)
  }

  private static func step(of bytes: Int) -> Int {
    switch bytes {
    case 10_000_000...: 100_000
    case 1_000_000...: 10_000
    case 10_000...: 100
    default: 1
    }
  }

  static func sizeInWords(_ bytes: Int) -> String {
    guard bytes >= 10_000 else { return "\(bytes) B" }
    let (unit, name) = bytes >= 1_000_000 ? (1_000_000, "MB") : (1_000, "kB")
    let (whole, rest) = bytes.quotientAndRemainder(dividingBy: unit)
    guard rest > 0 else { return "\(whole) \(name)" }
    var decimals = Array(String(unit + rest).utf8.dropFirst())
    while decimals.last == UInt8(ascii: "0") { decimals.removeLast() }
    return "\(whole).\(String(decoding: decimals, as: UTF8.self)) \(name)"
  }

  func setting(in file: ScenarioFile) throws -> TunedSetting {
    guard let contender = try file.contenders([policy]).first else {
      preconditionFailure("a name that is unknown has thrown")
    }
    let cache = try file.cache(
      of: contender, with: fields.map { (field: $0.name, value: $0.value) })
    return TunedSetting(
      policy: label, trial: 0, fields: [], values: [], telling: [], cache: cache)
  }

  /// The same cache in the fewest words: without the fields that say what it is in the app anyway.
  func inFewestWords(in file: ScenarioFile) throws -> Proposal {
    let cache = try setting(in: file).cache
    return try fields.indices.reversed().reduce(self) { kept, place in
      let without = kept.without(place)
      return try without.setting(in: file).cache == cache ? without : kept
    }
  }

  /// With one field as the app has it.
  func without(_ place: Int) -> Proposal {
    var other = self
    other.fields.remove(at: place)
    return other
  }

  /// As an entry of `policies`: its name there, the preset, and all fields.
  ///
  /// - Parameter document: The scenario's, if it is from a file.
  /// - Returns: An entry whose name is free, or the preset alone.
  func entry(in document: ScenarioDocument?) -> ScenarioDocument.Policy {
    let entry = document?.policy(policy) ?? (preset: policy, fields: [])
    guard !fields.isEmpty else { return (policy, .preset(entry.preset), entry.fields) }
    let own = fields.map { (field: $0.name, value: $0.value) }
    let kept = entry.fields.filter { field in !own.contains { $0.field == field.field } }
    let names = ["recommended"] + (2...99).map { "recommended-\($0)" }
    let free = names.first { document?.policy($0) == nil || $0 != policy && $0 == names[0] }
    return (free ?? names[0], .preset(entry.preset), kept + own)
  }
}
