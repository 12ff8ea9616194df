import Text

/// A key of a section as seen from outside: what it holds, and the keys within.
struct FieldOutline: Sendable {
  let name: String
  let summary: String
  private(set) var form: FieldForm
  /// What it may hold in place of a section, as a mean stands for a distribution.
  let scalarForm: FieldForm?
  let within: [FieldOutline]
  /// Whether sections of those keys lie within by names that the file gives.
  let holdsNames: Bool

  init<Section>(_ field: Field<Section>) {
    name = field.name
    summary = field.summary
    form = field.form
    scalarForm = field.scalarForm
    within = field.within()
    holdsNames = field.holdsNames
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
