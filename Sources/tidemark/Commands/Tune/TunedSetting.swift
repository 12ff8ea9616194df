import CacheModel

/// A policy with a value for each varied field.
struct TunedSetting: Sendable {
  var policy: String
  var fields: [String]
  /// One for each field.
  var values: [String]
  var composition: PolicyComposition

  /// How tables call it, and what its rows bear until they are written.
  var label: String {
    ([policy] + zip(fields, values).map { "\($0)=\($1)" }).joined(separator: " ")
  }

  var contestant: Contestant { Contestant(name: label, composition: composition) }
}

/// A varied field that changes nothing for some policies, such as a time to live for one that never
/// expires: rows that are equal for that reason are no finding.
struct IgnoredField {
  var field: String
  var policies: [String]

  /// The fields with more than one value whose values all give a policy the same cache, whatever the
  /// other fields say.
  static func all(of axes: [GridAxis], in settings: [TunedSetting]) -> [IgnoredField] {
    var policies: [String] = []
    for setting in settings where !policies.contains(setting.policy) {
      policies.append(setting.policy)
    }
    return axes.indices.compactMap { axis in
      guard axes[axis].values.count > 1 else { return nil }
      let deaf = policies.filter { policy in
        isIgnored(axis, in: settings.filter { $0.policy == policy })
      }
      return deaf.isEmpty ? nil : IgnoredField(field: axes[axis].field, policies: deaf)
    }
  }

  private static func isIgnored(_ axis: Int, in settings: [TunedSetting]) -> Bool {
    var known: [[String]: PolicyComposition] = [:]
    for setting in settings {
      var others = setting.values
      others.remove(at: axis)
      guard known[others, default: setting.composition] == setting.composition else { return false }
      known[others] = setting.composition
    }
    return true
  }

  /// What a person is told.
  func text(in scenario: String) -> String {
    "\(scenario): \(field) changes nothing for \(policies.joined(separator: ", ")); "
      + "Documentation/Scenarios.md says under `cache` which policies take it"
  }
}
