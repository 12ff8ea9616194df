package struct HARImportOptions: Sendable {
  package enum Pages: String, CaseIterable, Sendable {
    /// Restarts if they are sequential, clients if they overlap.
    case auto
    /// Each page is the same client after a restart.
    case restarts
    case clients
  }

  /// A method and a path that only read, although the method usually writes.
  package struct Read: Hashable, Sendable {
    var method: String
    var path: [String]

    /// Parses a method and a path; `nil` for another form.
    package init?(_ text: String) {
      let parts = text.split(separator: " ")
      guard parts.count == 2, parts[1].hasPrefix("/") else { return nil }
      method = parts[0].uppercased()
      path = parts[1].split(separator: "/").map(String.init)
    }

    /// The option, as a user writes it.
    var option: String { "--reads '\(method) /\(path.joined(separator: "/"))'" }

    func matches(_ method: String, _ path: [String]) -> Bool {
      self.method == method && self.path.count == path.count
        && zip(self.path, path).allSatisfy { own, other in
          own == "*" || own.hasPrefix(":") || own.utf8.elementsEqual(other.utf8)
        }
    }
  }

  package var name = "har"
  /// The included hosts; empty: those whose answers contain entities.
  package var hosts: [String] = []
  package var reads: [Read] = []
  /// Parameters that are part of a query even without a repeated value.
  package var keptParameters: [String] = []
  /// Members that together identify an entity, in addition to the defaults.
  package var identities: [[String]] = []
  /// Members that name the type of an entity, in addition to `__typename`.
  package var typeMembers: [String] = []
  /// Members that increase with each change, in addition to the defaults.
  package var versionMembers: [String] = []
  /// Members that do not indicate a change.
  package var ignoredFields: Set<String> = []
  /// The duration of a view without a subsequent navigation, in nanoseconds.
  package var viewDuration: Int64 = 30_000_000_000
  package var pages = Pages.auto
  /// Whether names of types, operations and paths are replaced by numbers.
  package var isAnonymous = false
  package var countsImages = false

  package init() {}

  /// The options that name something in a file, as a user writes them.
  var named: [String] {
    reads.map(\.option) + identities.map { "--id \($0.joined(separator: ","))" }
      + typeMembers.map { "--type \($0)" } + versionMembers.map { "--version-member \($0)" }
      + ignoredFields.sorted().map { "--ignore-field \($0)" }
      + keptParameters.map { "--keep-parameter \($0)" }
  }
}
