import CacheModel
import CommandLineInterface
import ResultModel

/// A policy with a value for each varied field.
struct TunedSetting: Sendable {
  var policy: String
  /// The number of the values in their search.
  var trial: Int
  var fields: [String]
  /// One for each field; `nil` of one that the policy keeps its own of.
  var values: [String?]
  /// The fields that tell it from the others of its search; all of them where nothing is searched.
  var telling: [String]
  var cache: ContenderCache

  /// How tables call it, and what its rows bear until they are written.
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

  /// What a person is told.
  func text(in scenario: String) -> String {
    "\(scenario): \(field) changes nothing for \(policies.joined(separator: ", ")); "
      + "Documentation/Scenarios.md says under `cache` which policies take it"
  }
}
