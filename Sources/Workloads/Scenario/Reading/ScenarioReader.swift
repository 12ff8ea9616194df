import Text

/// The state of reading one file: the problems so far, and the names of other modules.
struct ScenarioReader {
  let file: String
  let vocabulary: Vocabulary
  /// Whether the text is an argument of the command line: a count may omit its unit, and examples contain no
  /// space.
  var isOnCommandLine = false
  /// The data model, if the scenario declares one: it is read first.
  var model: DataModel?
  private(set) var problems: [ScenarioError.Problem] = []
  /// While a section is checked, its keys below which a problem was already reported.
  private(set) var faultyKeys: [String] = []
  /// Unknown names, each reported once.
  private var unknownNames: [String] = []
  /// The number of mistakes, reported or not.
  private(set) var mistakes = 0

  init(file: String, vocabulary: Vocabulary) {
    self.file = file
    self.vocabulary = vocabulary
  }

  /// The maximum number of reported errors.
  private static let maximumProblems = 100

  mutating func report(_ place: SourcePlace?, _ cause: String, _ remedy: String) {
    mistakes += 1
    guard problems.count < Self.maximumProblems else { return }
    problems.append(
      .init(file: place?.file ?? file, place: place, cause: cause, remedy: remedy))
  }

  /// Reports an unknown name, at its first place.
  mutating func reportUnknown(
    _ name: String, _ what: String, at place: SourcePlace?, among names: [String]
  ) {
    reportUnknown(
      name, what, at: place,
      names.isEmpty ? "none is declared" : remedy(for: name, among: names))
  }

  mutating func reportUnknown(
    _ name: String, _ what: String, at place: SourcePlace?, _ remedy: String
  ) {
    mistakes += 1
    guard !unknownNames.contains("\(what) \(name)") else { return }
    unknownNames.append("\(what) \(name)")
    report(place, "unknown \(what) `\(Self.shortened(name))`", remedy)
  }

  func throwIfAnyProblem() throws(ScenarioError) {
    guard !problems.isEmpty else { return }
    let start = SourcePlace(line: 0, column: 0)
    throw ScenarioError(problems: problems.sorted { ($0.place ?? start) < ($1.place ?? start) })
  }

  /// Reads the keys of a section into its fields.
  ///
  /// - Returns: the keys below which there is a problem, including those that misspelt ones mean.
  @discardableResult
  mutating func read<Section: ScenarioSection>(
    _ node: SourceNode, into section: inout Section
  ) -> [String] {
    guard case .mapping(let entries) = node.content else {
      report(
        node.place, "a section is expected here, not \(node.kindName)",
        "write keys and values: \(Section.fields.prefix(3).map(\.name).joined(separator: ", ")), …")
      return Section.fields.map(\.name)
    }
    let fields = Section.fields(of: model)
    var faulty: [String] = []
    for entry in entries {
      let before = mistakes
      if let field = fields.first(where: { $0.name == entry.key }) {
        field.assign(&section, entry.value, &self)
        if mistakes > before { faulty.append(field.name) }
      } else {
        faulty.append(reportUnknown(entry, among: fields.map(\.name)))
      }
    }
    for field in fields
    where field.isRequired && !faulty.contains(field.name)
      && !entries.contains(where: { $0.key == field.name })
    {
      report(node.place, "`\(field.name)` is missing", "add it: \(field.summary)")
    }
    check(&section, at: node.place, faulty: faulty)
    return faulty
  }

  /// Reports an unknown key, or one that belongs into another section.
  ///
  /// - Returns: the key that it seems to mean, or itself.
  mutating func reportUnknown(_ entry: SourceNode.Entry, among names: [String]) -> String {
    let meant = meant(by: entry.key, among: names)
    let places = meant == nil ? ScenarioReference().places(of: entry.key) : []
    if places.isEmpty {
      report(
        entry.keyPlace, "unknown key `\(Self.shortened(entry.key))`",
        remedy(for: entry.key, among: names))
    } else {
      let more = places.count > 3 ? " and \(places.count - 3) more" : ""
      report(
        entry.keyPlace, "`\(entry.key)` does not belong here",
        "it is a key of \(places.prefix(3).joined(separator: ", "))\(more)")
    }
    return meant ?? entry.key
  }

  /// Checks a section as a whole: if a part of it could not be read, further problems may only be
  /// consequences, and are not reported.
  private mutating func check<Section: ScenarioSection>(
    _ section: inout Section, at place: SourcePlace?, faulty: [String]
  ) {
    let outer = faultyKeys
    let before = problems.count
    faultyKeys = faulty
    section.validate(at: place, &self)
    if !faulty.isEmpty, !Section.isCheckedInParts { problems.removeSubrange(before...) }
    faultyKeys = outer
  }

  /// Returns whether there is a problem below one of these keys of the section being checked.
  func isFaulty(_ keys: String...) -> Bool { keys.contains(where: faultyKeys.contains) }

  /// Reads a whole scenario: its model first, since other sections refer to it.
  mutating func readScenario(_ root: SourceNode) -> Scenario {
    var scenario = Scenario()
    guard case .mapping(let entries) = root.content else {
      report(root.place, "this is not a scenario", "begin with `name:` and `duration:`")
      return scenario
    }
    let names = Scenario.fields.map(\.name)
    if let declared = entries.first(where: { $0.key == Scenario.modelKey }) {
      model = ModelReader.read(declared.value, &self)
    } else if let misspelt = entries.first(where: { entry in
      !names.contains(entry.key) && meant(by: entry.key, among: names) == Scenario.modelKey
    }) {
      _ = reportUnknown(misspelt, among: names)
    }
    // Without a model that can be read, what names its parts would only repeat that.
    guard problems.isEmpty else {
      for field in Scenario.fields where Scenario.besidesTheModel.contains(field.name) {
        guard let entry = entries.first(where: { $0.key == field.name }) else { continue }
        field.assign(&scenario, entry.value, &self)
      }
      return scenario
    }
    if let model { scenario = Scenario(of: model) }
    read(root, into: &scenario)
    return scenario
  }

  mutating func scalar(_ node: SourceNode) -> String? {
    if case .scalar(let text) = node.content { return text }
    report(node.place, "a single value is expected here, not \(node.kindName)", "write one value")
    return nil
  }

  /// Returns a name from a closed list.
  mutating func name(_ node: SourceNode, what: String, among names: [String]) -> String? {
    name(node, among: names) { "unknown \(what) `\($0)`" }
  }

  mutating func word(_ node: SourceNode, ofKey key: String, among words: [String]) -> String? {
    name(node, among: words) { "`\(key)` cannot be `\($0)`" }
  }

  private mutating func name(
    _ node: SourceNode, among names: [String], cause: (String) -> String
  ) -> String? {
    guard let text = scalar(node) else { return nil }
    if names.contains(text) { return text }
    report(node.place, cause(Self.shortened(text)), remedy(for: text, among: names))
    return nil
  }

  /// Former names of keys and words, with their current ones.
  private static let renamed = [
    "model": "data", "others": "writers", "people": "users", "quiet": "drain", "ship": "goal",
    "owner": "cascade", "again": "revisit", "tag": "pin", "restart": "server-restart",
    "relaunch": "app-restart", "hold": "stall",
    "hold-for": "stall-for",
  ]

  /// Returns the name that a word seems to mean.
  private func meant(by word: String, among names: [String]) -> String? {
    Self.renamed[word].flatMap { names.contains($0) ? $0 : nil }
      ?? NearestName.suggestion(for: word, among: names)
  }

  func remedy(for word: String, among names: [String]) -> String {
    if let name = Self.renamed[word], names.contains(name) { return "it is now `\(name)`" }
    if let nearest = NearestName.suggestion(for: word, among: names) {
      return "did you mean `\(nearest)`?"
    }
    guard !names.isEmpty else { return "there are none" }
    var length = 0
    let shown = names.prefix { name in
      length += name.utf8.count + 2
      return length <= Self.mostBytesOfNames
    }
    let rest = names.count - shown.count
    return "valid here: \(shown.joined(separator: ", "))" + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The length of two lines of a terminal.
  private static let mostBytesOfNames = 150

  /// Returns a text as an error message quotes it.
  static func shortened(_ text: String) -> String { text.excerpt }
}

extension ScenarioReader {
  /// Returns a quantity stored as a whole number: a duration, a size, a bandwidth or a count.
  mutating func whole(
    _ node: SourceNode, _ dimension: Dimension, in range: ClosedRange<Int64>
  ) -> Int64? {
    quantity(node) { text, source throws(QuantityError) in
      try dimension.whole(text, in: range, from: source)
    }
  }

  /// Returns a quantity stored as a real number: a rate, a share, a mean count or a plain number.
  mutating func real(
    _ node: SourceNode, _ dimension: Dimension, in range: ClosedRange<Double>
  ) -> Double? {
    quantity(node) { text, source throws(QuantityError) in
      try dimension.real(text, in: range, from: source)
    }
  }

  /// Returns a number with any unit.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - noun: the expected thing, with its article.
  ///   - remedy: the fix if it is invalid.
  /// - Returns: `nil` if a problem was reported.
  mutating func quantity(_ node: SourceNode, as noun: String, remedy: String) -> Quantity? {
    quantity(node) { text, _ throws(QuantityError) in
      try Quantity.reading(text, as: noun, remedy: remedy)
    }
  }

  private mutating func quantity<Value>(
    _ node: SourceNode, _ read: (String, Dimension.Source) throws(QuantityError) -> Value
  ) -> Value? {
    guard let text = scalar(node) else { return nil }
    do {
      return try read(text, isOnCommandLine ? .commandLine : .file)
    } catch {
      report(node.place, error.cause, error.remedy)
      return nil
    }
  }
}

/// Reads names that a scenario assigns.
extension ScenarioReader {
  /// Returns the entries of a section whose keys are names given by the file.
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

  /// Returns the index of a name in a list; reports a missing one once, with the nearest.
  mutating func place(
    of name: String, at place: SourcePlace?, what: String, among names: [String]
  ) -> Int? {
    if let index = names.firstIndex(of: name) { return index }
    reportUnknown(name, what, at: place, among: names)
    return nil
  }

  /// Returns those of some keys that a section has, whatever their values.
  func keys(of node: SourceNode, among names: [String]) -> [String] {
    guard case .mapping(let entries) = node.content else { return [] }
    return entries.map(\.key).filter(names.contains)
  }

  /// Returns the elements of a list, or the single value.
  func elements(of node: SourceNode) -> [SourceNode] {
    if case .sequence(let nodes) = node.content { return nodes }
    return [node]
  }

  mutating func mean(
    _ node: SourceNode, of plural: String, in range: ClosedRange<Double>
  ) -> Double? {
    real(node, .count(plural), in: range)
  }
}

extension Field {
  /// Returns a known node for a value that is read again.
  static func node(
    _ name: String, _ path: FieldPath<Section, SourceNode?>, _ summary: String,
    form: FieldForm = .text
  ) -> Field {
    Field(name: name, form: form, summary: summary) { section, node, _ in
      section[keyPath: path] = node
    }
  }

  static func real(
    _ name: String, _ dimension: Dimension, _ path: FieldPath<Section, Double?>,
    _ range: ClosedRange<Double>, _ summary: String
  ) -> Field {
    Field(name: name, form: .quantity(dimension, range), summary: summary) {
      if let value = $2.real($1, dimension, in: range) { $0[keyPath: path] = value }
    }
  }
}
