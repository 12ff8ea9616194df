import Text

/// Names that a scenario gives its own things.
extension ScenarioReader {
  /// The entries of a section whose keys are names that the file gives.
  mutating func named(
    _ node: SourceNode, _ what: String, atMost limit: Int
  ) -> [SourceNode.Entry] {
    guard case .mapping(let entries) = node.content else {
      report(
        node.place, "\(what)s by name are expected here, not \(node.kindName)",
        "write a name, a colon, and what it is")
      return []
    }
    guard entries.count <= limit else {
      report(node.place, "\(entries.count) \(what)s, the limit is \(limit)", "remove some")
      return []
    }
    return entries.filter { isName($0, what) }
  }

  private mutating func isName(_ entry: SourceNode.Entry, _ what: String) -> Bool {
    let isPlain = entry.key.utf8.allSatisfy {
      $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || $0 == UInt8(ascii: "-")
        || what == "query" && $0 == UInt8(ascii: ".")
    }
    let isReserved = ["me", "subject", "id", "typed", "not", "is", "includes", "begins"]
      .contains(entry.key)
    guard isPlain, !isReserved, !entry.key.isEmpty, entry.key.utf8.count <= 64 else {
      report(
        entry.keyPlace,
        "`\(Self.shortened(entry.key))` is not a name for a \(what)",
        isReserved
          ? "choose another word; this one is the language's own"
          : "use up to 64 lower-case letters, digits and hyphens"
            + (what == "query" ? ", and points" : ""))
      return false
    }
    return true
  }

  /// The place of a name in a list; reports one that is not there with the nearest, once.
  mutating func place(
    of name: String, at place: SourcePlace?, what: String, among names: [String]
  ) -> Int? {
    if let index = names.firstIndex(of: name) { return index }
    reportUnknown(name, what, at: place, among: names)
    return nil
  }

  /// Those of some keys that a section has, whatever it says by them.
  func keys(of node: SourceNode, among names: [String]) -> [String] {
    guard case .mapping(let entries) = node.content else { return [] }
    return entries.map(\.key).filter(names.contains)
  }

  /// The elements of a list, or the one value that stands in its place.
  func elements(of node: SourceNode) -> [SourceNode] {
    if case .sequence(let nodes) = node.content { return nodes }
    return [node]
  }

  /// A mean count of what a word names.
  mutating func mean(
    _ node: SourceNode, of plural: String, in range: ClosedRange<Double>
  ) -> Double? {
    real(node, .count(plural), in: range)
  }
}

extension Field {
  /// A value that is read once more is known.
  static func node(
    _ name: String, _ path: FieldPath<Section, SourceNode?>, _ summary: String,
    form: FieldForm = .text
  ) -> Field {
    Field(name: name, form: form, summary: summary) { section, node, _ in
      section[keyPath: path] = node
    }
  }

  /// A number that may be absent.
  static func real(
    _ name: String, _ dimension: Dimension, _ path: FieldPath<Section, Double?>,
    _ range: ClosedRange<Double>, _ summary: String
  ) -> Field {
    Field(name: name, form: .quantity(dimension, range), summary: summary) {
      if let value = $2.real($1, dimension, in: range) { $0[keyPath: path] = value }
    }
  }
}

/// The plural of a type's name, in which its counts are written.
package enum Plural {
  package static func of(_ name: String) -> String {
    let vowels = "aeiou".utf8
    let bytes = Array(name.utf8)
    if bytes.last == UInt8(ascii: "y"), bytes.count > 1, !vowels.contains(bytes[bytes.count - 2]) {
      return "\(name.dropLast())ies"
    }
    return name.hasSuffix("s") ? name : "\(name)s"
  }
}
