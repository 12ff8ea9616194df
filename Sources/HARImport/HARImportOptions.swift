/// What a person may say of a file that is imported.
package struct HARImportOptions: Sendable {
  /// What a page of the file is.
  package enum Pages: String, CaseIterable, Sendable {
    /// Restarts if they follow each other, clients if they overlap.
    case auto
    /// Each page is the same client, restarted.
    case restarts
    /// Each page is a client of its own.
    case clients
  }

  /// A method and a path that read, though the method writes elsewhere.
  package struct Read: Hashable, Sendable {
    var method: String
    var path: [String]

    /// `nil` for another form.
    package init?(_ text: String) {
      let parts = text.split(separator: " ")
      guard parts.count == 2, parts[1].hasPrefix("/") else { return nil }
      method = parts[0].uppercased()
      path = parts[1].split(separator: "/").map(String.init)
    }

    func matches(_ method: String, _ path: [String]) -> Bool {
      self.method == method && self.path.count == path.count
        && zip(self.path, path).allSatisfy { own, other in
          own == "*" || own.hasPrefix(":") || own.utf8.elementsEqual(other.utf8)
        }
    }
  }

  /// What reports call the recording.
  package var name = "har"
  /// Hosts whose requests count; empty: those whose answers hold entities.
  package var hosts: [String] = []
  package var reads: [Read] = []
  /// Parameters that are part of a query even if they never repeat.
  package var keptParameters: [String] = []
  /// Members that together identify an entity, before those that are always looked for.
  package var identities: [[String]] = []
  /// Members that name the type of an entity, besides `__typename`.
  package var typeMembers: [String] = []
  /// Members that grow with each change, besides those that are always looked for.
  package var versionMembers: [String] = []
  /// Members whose values say nothing of a change.
  package var ignoredFields: Set<String> = []
  /// How long a view lasts that no navigation ends, in nanoseconds.
  package var viewDuration: Int64 = 30_000_000_000
  package var pages = Pages.auto
  /// Whether names of types, operations and paths become numbers.
  package var isAnonymous = false
  /// Whether images count as reads.
  package var countsImages = false

  package init() {}
}
