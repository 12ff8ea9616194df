/// A key of a section as seen from outside: what it holds, and the keys within.
struct FieldOutline: Sendable {
  let name: String
  let summary: String
  let form: FieldForm
  /// What it may hold in place of a section, as a mean stands for a distribution.
  let scalarForm: FieldForm?
  let within: [FieldOutline]

  init<Section>(_ field: Field<Section>) {
    name = field.name
    summary = field.summary
    form = field.form
    scalarForm = field.scalarForm
    within = field.within()
  }
}

extension ScenarioSection {
  static var outlines: [FieldOutline] { fields.map { FieldOutline($0) } }
}
