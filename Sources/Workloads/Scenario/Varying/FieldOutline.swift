import Text

/// A key of a section as seen from outside: what it holds, and the keys within.
struct FieldOutline: Sendable {
  var name: String
  var summary: String
  private(set) var form: FieldForm
  var isRequired = false
  /// What it may hold instead of a section, as a mean stands for a distribution.
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
