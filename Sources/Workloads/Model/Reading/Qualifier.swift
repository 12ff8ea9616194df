import Text

/// A key that says how something is done, and the verbs that it says anything about.
struct Qualifier: Sendable {
  let key: String
  let verbs: [String]

  init(_ key: String, of verbs: [String]) {
    self.key = key
    self.verbs = verbs
  }
}

/// Keys that would be read and come to nothing.
extension ScenarioReader {
  /// Reports the keys of a section that its verb has no use for.
  mutating func reportUnused(
    _ qualifiers: [Qualifier], in node: SourceNode, what: String, says verb: String
  ) {
    let own = qualifiers.filter { $0.verbs.contains(verb) }.map(\.key)
    for qualifier in qualifiers where !own.contains(qualifier.key) {
      guard let place = node.place(ofKey: qualifier.key) else { continue }
      let users = qualifier.verbs.map { "`\($0)`" }
      let nearest = NearestName.suggestion(for: qualifier.key, among: own)
      let others = Words.list(own.map { "`\($0)`" })
      report(
        place,
        "`\(qualifier.key)` belongs to \(Words.list(users)), and this \(what) says `\(verb)`",
        nearest.map { "did you mean `\($0)`?" }
          ?? "remove it\(own.isEmpty ? "" : "; `\(verb)` takes \(others)")")
    }
  }

  /// Reports an exponent where every entity is preferred alike.
  mutating func reportExponent(in node: SourceNode) {
    guard let place = node.place(ofKey: "zipf") else { return }
    report(
      place, "`zipf` belongs to what is preferred, and `prefer: any` prefers nothing",
      "remove it, or write `prefer: popular` or `prefer: newest`")
  }
}

extension SourceNode {
  /// Where a key of the section stands; `nil` where the section has it not.
  func place(ofKey key: String) -> SourcePlace? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.keyPlace
  }
}
