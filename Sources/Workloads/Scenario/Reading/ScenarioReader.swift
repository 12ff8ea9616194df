import Text

/// The state of reading one file: what was found wrong so far, and the names that other rooms know.
struct ScenarioReader {
  let file: String
  let vocabulary: Vocabulary
  /// Whether the text is a word of the command line: a count may stand without its unit, and no example
  /// has a space.
  var isOnCommandLine = false
  /// The data of the app, where the scenario declares them: it is read before all else.
  var model: DataModel?
  private(set) var problems: [ScenarioError.Problem] = []
  /// While a section is checked as a whole, those of its keys below which something is wrong already.
  private(set) var faultyKeys: [String] = []
  /// Names that were found unknown, which are told of once.
  private var unknownNames: [String] = []
  /// How often something was wrong, told or not.
  private(set) var mistakes = 0

  init(file: String, vocabulary: Vocabulary) {
    self.file = file
    self.vocabulary = vocabulary
  }

  /// Errors beyond this number are not worth reading.
  private static let maximumProblems = 100

  mutating func report(_ place: SourcePlace?, _ cause: String, _ remedy: String) {
    mistakes += 1
    guard problems.count < Self.maximumProblems else { return }
    problems.append(
      .init(file: place?.file ?? file, place: place, cause: cause, remedy: remedy))
  }

  /// Reports a name that there is not, where it stands first.
  mutating func reportUnknown(
    _ name: String, _ what: String, at place: SourcePlace?, among names: [String]
  ) {
    mistakes += 1
    guard !unknownNames.contains("\(what) \(name)") else { return }
    unknownNames.append("\(what) \(name)")
    report(
      place, "unknown \(what) `\(Self.shortened(name))`",
      names.isEmpty ? "none is declared" : remedy(for: name, among: names))
  }

  func throwIfAnyProblem() throws(ScenarioError) {
    guard !problems.isEmpty else { return }
    let start = SourcePlace(line: 0, column: 0)
    throw ScenarioError(problems: problems.sorted { ($0.place ?? start) < ($1.place ?? start) })
  }

  /// Reads the keys of a section into its fields.
  ///
  /// - Returns: the keys below which something is wrong, those that a misspelt one stands for included.
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

  /// Reports a key that there is not.
  ///
  /// - Returns: the key that it seems to stand for, or itself.
  mutating func reportUnknown(_ entry: SourceNode.Entry, among names: [String]) -> String {
    report(
      entry.keyPlace, "unknown key `\(Self.shortened(entry.key))`",
      remedy(for: entry.key, among: names))
    return meant(by: entry.key, among: names) ?? entry.key
  }

  /// Checks a section as a whole: where a part of it could not be read, what is wrong with the whole may
  /// only follow from that, and is not told.
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

  /// Whether something is wrong below one of these keys of the section that is being checked.
  func isFaulty(_ keys: String...) -> Bool { keys.contains(where: faultyKeys.contains) }

  /// Reads a whole scenario: its model first, since other sections name what it declares.
  mutating func readScenario(_ root: SourceNode) -> Scenario {
    var scenario = Scenario()
    if case .mapping(let entries) = root.content {
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
    }
    read(root, into: &scenario)
    return scenario
  }

  /// The text of a scalar node.
  mutating func scalar(_ node: SourceNode) -> String? {
    if case .scalar(let text) = node.content { return text }
    report(node.place, "a single value is expected here, not \(node.kindName)", "write one value")
    return nil
  }

  /// A name out of a closed list.
  mutating func name(_ node: SourceNode, what: String, among names: [String]) -> String? {
    guard let text = scalar(node) else { return nil }
    if names.contains(text) { return text }
    report(
      node.place, "unknown \(what) `\(Self.shortened(text))`", remedy(for: text, among: names))
    return nil
  }

  /// Names that keys and words once had, with those that they have now.
  private static let renamed = [
    "model": "data", "others": "writers", "people": "users", "quiet": "drain", "ship": "goal",
    "owner": "cascade", "again": "revisit", "tag": "pin", "restart": "server-restart",
    "relaunch": "app-restart", "hold": "stall",
  ]

  /// The name that a word seems to stand for.
  private func meant(by word: String, among names: [String]) -> String? {
    Self.renamed[word].flatMap { names.contains($0) ? $0 : nil }
      ?? NearestName.suggestion(for: word, among: names)
  }

  func remedy(for word: String, among names: [String]) -> String {
    if let name = Self.renamed[word], names.contains(name) { return "it is now `\(name)`" }
    if let nearest = NearestName.suggestion(for: word, among: names) {
      return "did you mean `\(nearest)`?"
    }
    let shown = names.prefix(Self.maximumNamesShown).joined(separator: ", ")
    let rest = names.count - Self.maximumNamesShown
    return "valid here: \(shown)" + (rest > 0 ? " and \(rest) more" : "")
  }

  private static let maximumNamesShown = 24

  /// As an error message repeats it.
  static func shortened(_ text: String) -> String { text.excerpt }
}
