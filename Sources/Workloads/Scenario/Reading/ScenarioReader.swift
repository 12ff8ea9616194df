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

  init(file: String, vocabulary: Vocabulary) {
    self.file = file
    self.vocabulary = vocabulary
  }

  /// Errors beyond this number are not worth reading.
  private static let maximumProblems = 100

  mutating func report(_ place: SourcePlace?, _ cause: String, _ remedy: String) {
    guard problems.count < Self.maximumProblems else { return }
    problems.append(.init(file: file, place: place, cause: cause, remedy: remedy))
  }

  func throwIfAnyProblem() throws(ScenarioError) {
    guard !problems.isEmpty else { return }
    let start = SourcePlace(line: 0, column: 0)
    throw ScenarioError(problems: problems.sorted { ($0.place ?? start) < ($1.place ?? start) })
  }

  /// Reads the keys of a section into its fields.
  mutating func read<Section: ScenarioSection>(_ node: SourceNode, into section: inout Section) {
    guard case .mapping(let entries) = node.content else {
      report(
        node.place, "a section is expected here, not \(node.kindName)",
        "write keys and values: \(Section.fields.prefix(3).map(\.name).joined(separator: ", ")), …")
      return
    }
    let fields = Section.fields(of: model)
    for entry in entries {
      if let field = fields.first(where: { $0.name == entry.key }) {
        field.assign(&section, entry.value, &self)
      } else {
        report(
          entry.keyPlace, "unknown key `\(Self.shortened(entry.key))`",
          remedy(for: entry.key, among: fields.map(\.name)))
      }
    }
    for field in fields
    where field.isRequired && !entries.contains(where: { $0.key == field.name }) {
      report(node.place, "`\(field.name)` is missing", "add it: \(field.summary)")
    }
    section.validate(at: node.place, &self)
  }

  /// Reads a whole scenario: its model first, since other sections name what it declares.
  mutating func readScenario(_ root: SourceNode) -> Scenario {
    var scenario = Scenario()
    if case .mapping(let entries) = root.content,
      let declared = entries.first(where: { $0.key == Scenario.modelKey })
    {
      model = ModelReader.read(declared.value, &self)
      // Without a model that can be read, what names its parts would only repeat that.
      guard let model, problems.isEmpty else { return scenario }
      scenario = Scenario(of: model)
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

  func remedy(for word: String, among names: [String]) -> String {
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
