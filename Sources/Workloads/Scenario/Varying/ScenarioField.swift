package import CacheModel
import Text

package struct ScenarioField: Hashable, Sendable {
  /// A name in the cache section, or a path of keys from the root: `network.loss`.
  package let name: String
  package let summary: String
  /// A quantity can be varied over a range, a choice over its names.
  package let form: FieldForm

  package init(name: String, summary: String, form: FieldForm) {
    self.name = name
    self.summary = summary
    self.form = form
  }

  /// Returns all fields of the cache section.
  ///
  /// - Parameter models: the data of the scenarios that are varied: a field by query is included if all of
  ///   them have the query.
  /// - Returns: the fields in the order of help.
  package static func ofCache(of models: [DataModel] = []) -> [ScenarioField] {
    let fields = CacheSection.fields(of: models.first)
    let others = models.dropFirst().map { Set(CacheSection.fields(of: $0).map(\.name)) }
    return fields.filter { field in others.allSatisfy { $0.contains(field.name) } }.map {
      ScenarioField(name: $0.name, summary: $0.summary, form: $0.form)
    }
  }

  package static func ofCache(named name: String, of models: [DataModel] = []) -> ScenarioField? {
    ofCache(of: models).first { $0.name == name }
  }

  package var isNumeric: Bool {
    if case .quantity = form { return true }
    return false
  }

  /// Returns the values of a choice; for names of another module, the known ones.
  package func choices(vocabulary: Vocabulary) -> [String] {
    switch form {
    case .choice(let names): names
    case .registered(let names): vocabulary[names] ?? []
    default: []
    }
  }

  /// Returns values from a lower to an upper bound in equal ratios, rounded to three digits, in the field's
  /// syntax.
  package func grid(_ range: String, steps: Int) throws(ScenarioError) -> [String] {
    try FieldRange(range, of: self).grid(steps: steps)
  }

  /// Returns a value in the normalized form of reports: a quantity with its unit, `10000 entities` for
  /// `10_000`; anything else unchanged.
  ///
  /// - Throws: an error if the field is a quantity and the text is neither one nor a valid word.
  package func spelling(of text: String) throws(ScenarioError) -> String {
    guard case .quantity(let dimension, let limits) = form,
      text.utf8.contains(where: { (48...57).contains($0) })
    else { return text }
    var reader = ScenarioReader(file: "--vary \(name)=\(text)", vocabulary: .unchecked)
    reader.isOnCommandLine = true
    let value = Self.value(
      SourceNode(place: nil, content: .scalar(text)), dimension, in: limits, &reader)
    try reader.throwIfAnyProblem()
    return value.map { dimension.writing(of: $0) } ?? text
  }

  /// Returns a value in the base unit: whole for whole dimensions.
  static func value(
    _ node: SourceNode, _ dimension: Dimension, in limits: ClosedRange<Double>,
    _ reader: inout ScenarioReader
  ) -> Double? {
    // The mean of a count need not be whole; a count itself rejects a point when it is set.
    if !dimension.isWhole || dimension.isCount, case .scalar(let text) = node.content,
      !dimension.isCount || text.contains(".")
    {
      return reader.real(node, dimension, in: limits)
    }
    return reader.whole(
      node, dimension, in: Int64(limits.lowerBound)...Int64(limits.upperBound)
    ).map { Double($0) }
  }
}

extension Dimension {
  /// Returns a value in a file's syntax: without rounding noise, and a rate by a period in which it is at
  /// least one.
  func writing(of value: Double) -> String {
    func number(_ value: Double) -> String {
      let rounded = (value * 1e9).rounded() / 1e9
      return Int64(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    }
    switch self {
    case .share: return number(value * 100) + " %"
    case .size:
      // The largest power of ten with at most three decimals.
      let unit = units.filter { !$0.name.contains("i") && value >= Double($0.factor) }
        .sorted { $0.factor > $1.factor }
        .first { (value * 1_000).truncatingRemainder(dividingBy: Double($0.factor)) == 0 }
      return unit.map { number(value / Double($0.factor)) + " \($0.name)" } ?? text(of: value)
    case .rate:
      guard value > 0, let longest = units.last else { return text(of: value) }
      let unit = units.first { value * Double($0.factor) >= 1 - 1e-9 } ?? longest
      return number(value * Double(unit.factor)) + unit.name
    default: return text(of: value)
    }
  }

  /// Returns a declared value, as in documents: in the largest unit that leaves it whole; a count without its
  /// noun.
  func inWords(_ value: Double) -> String {
    switch self {
    case .duration, .size, .bandwidth:
      guard let whole = Int64(exactly: value) else { return text(of: value) }
      let unit = units.filter { whole.isMultiple(of: $0.factor) }.max { $0.factor < $1.factor }
      guard whole != 0, let unit else { return self == .duration ? "0 s" : text(of: value) }
      return "\(Words.grouped(Int(whole / unit.factor))) \(unit.name)"
    case .share, .rate: return writing(of: value)
    case .count, .number: return Words.number(value)
    }
  }

  /// Whether its values are whole numbers.
  var isWhole: Bool {
    switch self {
    case .duration, .size, .bandwidth, .count: true
    case .rate, .share, .number: false
    }
  }

  var isCount: Bool {
    if case .count = self { return true }
    return false
  }
}

extension CacheSection {
  /// Returns this section with one field set from text, as `tune --vary` writes it.
  ///
  /// - Parameters:
  ///   - name: the field's name.
  ///   - text: its value; a count may omit its unit.
  ///   - model: the data, whose queries may be named; without it none may.
  ///   - vocabulary: the known eviction orders.
  /// - Returns: the changed section.
  /// - Throws: an error if the field is unknown or the value is invalid.
  package func setting(
    field name: String, to text: String, of model: DataModel? = nil,
    vocabulary: Vocabulary = .unchecked
  ) throws(ScenarioError) -> CacheSection {
    var reader = ScenarioReader(file: "--vary \(name)=\(text)", vocabulary: vocabulary)
    reader.isOnCommandLine = true
    var copy = self
    let fields = Self.fields(of: model)
    if let field = fields.first(where: { $0.name == name }) {
      field.assign(&copy, SourceNode(place: nil, content: .scalar(text)), &reader)
      copy.validate(at: nil, &reader)
    } else {
      reader.report(
        nil, "unknown field `\(name)`", reader.remedy(for: name, among: fields.map(\.name)))
    }
    try reader.throwIfAnyProblem()
    return copy
  }
}

extension Scenario {
  /// Returns the policy of a scenario's entry with additional or replaced fields, as ``composition(for:)``.
  package func composition(
    for policyName: String, with fields: [(field: String, value: String)]
  ) -> CachePolicy? {
    adding(fields, to: policyName).composition(for: policyName)
  }

  /// Returns another design with additional or replaced fields.
  package func design(
    for policyName: String, with fields: [(field: String, value: String)]
  ) -> DesignSettings? {
    adding(fields, to: policyName).design(for: policyName)
  }

  private func adding(
    _ fields: [(field: String, value: String)], to policyName: String
  ) -> Scenario {
    guard !fields.isEmpty else { return self }
    var scenario = self
    var entry = policies.first { $0.name == policyName } ?? PolicyEntry(preset: policyName)
    entry.overrides.removeAll { own in fields.contains { $0.field == own.field } }
    entry.overrides += fields.map {
      ($0.field, SourceNode(place: nil, content: .scalar($0.value)))
    }
    scenario.policies = [entry]
    return scenario
  }
}

/// A key of a section as seen from outside: its kind, and nested keys.
struct FieldOutline: Sendable {
  var name: String
  var summary: String
  private(set) var form: FieldForm
  var isRequired = false
  /// The form of a scalar instead of a section, such as a mean instead of a distribution.
  private(set) var scalarForm: FieldForm?
  /// The form of a scalar that each element of its list, or each named entry, may contain instead of a
  /// section.
  var elementForm: FieldForm?
  var within: [FieldOutline] = []
  /// Whether nested keys are in sections, or lists, with names given by the file.
  private(set) var holdsNames = false
  /// Returns its default; `nil`: none.
  private(set) var initial: @Sendable () -> String? = { nil }
  /// Returns whether it accepts a word.
  private(set) var takes: @Sendable (String) -> Bool = { _ in true }

  init(name: String, form: FieldForm, summary: String) {
    (self.name, self.form, self.summary) = (name, form, summary)
  }

  init<Section: ScenarioSection>(_ field: Field<Section>) {
    self.init(name: field.name, form: field.form, summary: field.summary)
    isRequired = field.isRequired
    scalarForm = field.scalarForm
    elementForm = field.elementForm
    within = field.within()
    holdsNames = field.holdsNames
    initial = { field.initial(Section()) }
    takes = { word in
      var (section, reader) = (Section(), ScenarioReader(file: "", vocabulary: .unchecked))
      field.assign(&section, SourceNode(place: nil, content: .scalar(word)), &reader)
      return reader.mistakes == 0
    }
  }

  /// Returns the key for a type with a known plural, in which it counts.
  func counting(_ plural: String) -> FieldOutline {
    var copy = self
    if case .quantity(.count(""), let range) = form { copy.form = .quantity(.count(plural), range) }
    return copy
  }
}

extension ScenarioSection {
  static var outlines: [FieldOutline] { fields.map { FieldOutline($0) } }
}
