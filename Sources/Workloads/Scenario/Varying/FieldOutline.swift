import Text

/// A key of a section as seen from outside: what it holds, and the keys within.
struct FieldOutline: Sendable {
  private(set) var name: String
  let summary: String
  private(set) var form: FieldForm
  /// What it may hold in place of a section, as a mean stands for a distribution.
  let scalarForm: FieldForm?
  private(set) var within: [FieldOutline]
  /// What lies within by names that the file gives.
  private(set) var namedForm: FieldForm?

  init<Section>(_ field: Field<Section>) {
    name = field.name
    summary = field.summary
    form = field.form
    scalarForm = field.scalarForm
    within = field.within()
    namedForm = field.namedForm
  }

  /// What lies within by a name; what it counts is that.
  func named(_ name: String) -> FieldOutline {
    guard let namedForm else { return self }
    var copy = self
    copy.name = name
    copy.form = namedForm
    copy.namedForm = nil
    copy.within = within.map { $0.counting(Plural.of(name)) }
    return copy
  }

  private func counting(_ plural: String) -> FieldOutline {
    var copy = self
    if case .quantity(.count(""), let range) = form { copy.form = .quantity(.count(plural), range) }
    return copy
  }
}

extension ScenarioSection {
  static var outlines: [FieldOutline] { fields.map { FieldOutline($0) } }
}
