package import CacheModel
import Text

/// One field of a scenario that can be varied.
package struct ScenarioField: Hashable, Sendable {
  /// A name in the cache section, or a path of keys from the top: `network.loss`.
  package let name: String
  package let summary: String
  /// A quantity can be varied over a range, a choice over its names.
  package let form: FieldForm

  package init(name: String, summary: String, form: FieldForm) {
    self.name = name
    self.summary = summary
    self.form = form
  }

  /// Every field of the cache section.
  ///
  /// - Parameter models: the data of the scenarios that are varied: what names a query is a field where
  ///   all of them have it.
  /// - Returns: in the order in which help lists them.
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

  /// The values of a choice; the known names where another module lists them.
  package func choices(vocabulary: Vocabulary) -> [String] {
    switch form {
    case .choice(let names): names
    case .registered(let names): vocabulary[names] ?? []
    default: []
    }
  }

  /// Values from a lower to an upper bound in equal ratios, rounded to three digits, written so that
  /// the field reads them.
  ///
  /// - Parameters:
  ///   - range: as ``FieldRange`` reads it.
  ///   - steps: How many values, at least 2.
  /// - Returns: The values, without repetitions that rounding makes.
  /// - Throws: If the field is no quantity, or a bound is not a value of it.
  package func grid(_ range: String, steps: Int) throws(ScenarioError) -> [String] {
    try FieldRange(range, of: self).grid(steps: steps)
  }

  /// A value in the one way in which reports write it: a quantity with its unit, `10000 entities` for
  /// `10_000`; anything else as it is.
  ///
  /// - Throws: If the field is a quantity and the text is neither one nor a word.
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

  /// A value in the base unit: whole where the dimension is counted in wholes.
  static func value(
    _ node: SourceNode, _ dimension: Dimension, in limits: ClosedRange<Double>,
    _ reader: inout ScenarioReader
  ) -> Double? {
    // The mean of a count need not be whole; a count itself refuses a point when it is set.
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
  /// A value as a file would have it: without the last digits that a division leaves, and a rate by the
  /// period in which there is one at least.
  func writing(of value: Double) -> String {
    func number(_ value: Double) -> String {
      let rounded = (value * 1e9).rounded() / 1e9
      return Int64(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    }
    switch self {
    case .share: return number(value * 100) + " %"
    case .size:
      // Of powers of ten the largest that leaves no more than three decimals.
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

  /// A declared value, as documents say it: in the largest unit that leaves it whole; a count without its noun.
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
  /// This section with one field set from text, as `tune --vary` writes it.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - text: Its value; a count may be without its unit.
  ///   - model: The data, whose queries may be named; without it none may.
  ///   - vocabulary: The known eviction orders.
  /// - Returns: The changed section.
  /// - Throws: If the field is unknown or the text is no value of it.
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
  /// The composition of a policy of the scenario's own that says more of itself: what
  /// ``composition(for:)`` makes of its entry with these fields added, or put instead of its own.
  package func composition(
    for policyName: String, with fields: [(field: String, value: String)]
  ) -> CachePolicy? {
    adding(fields, to: policyName).composition(for: policyName)
  }

  /// The same of another design.
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

/// A key of a section as seen from outside: its kind, and the keys within.
struct FieldOutline: Sendable {
  var name: String
  var summary: String
  private(set) var form: FieldForm
  var isRequired = false
  /// Its kind instead of a section, such as a mean instead of a distribution.
  private(set) var scalarForm: FieldForm?
  /// What each element of its list, or each of its names, may hold instead of a section.
  var elementForm: FieldForm?
  var within: [FieldOutline] = []
  /// Whether sections, or lists, of those keys lie within by names that the file gives.
  private(set) var holdsNames = false
  /// Its value where nothing is written; `nil`: none.
  private(set) var initial: @Sendable () -> String? = { nil }
  /// Whether it reads a word.
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

  /// The key as it is of something whose plural is known: what it counts is that.
  func counting(_ plural: String) -> FieldOutline {
    var copy = self
    if case .quantity(.count(""), let range) = form { copy.form = .quantity(.count(plural), range) }
    return copy
  }
}

extension ScenarioSection {
  static var outlines: [FieldOutline] { fields.map { FieldOutline($0) } }
}
