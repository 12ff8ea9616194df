package import Text

/// A part of a scenario that is written as keys and values.
protocol ScenarioSection: Sendable {
  /// A section in which nothing is written.
  init()
  /// Every key, described once: parsing, suggestions and documentation read this.
  static var fields: [Field<Self>] { get }
  /// The keys in a scenario that declares its data; those of its files, where it declares none.
  static func fields(of model: DataModel?) -> [Field<Self>]
  /// Whether its check leaves out by itself what may follow from a part that could not be read.
  static var isCheckedInParts: Bool { get }
  /// Checks what concerns more than one field.
  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader)
}

extension ScenarioSection {
  static func fields(of model: DataModel?) -> [Field<Self>] { fields }

  static var isCheckedInParts: Bool { false }

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {}
}

/// One key of a section: its name, what it holds, what it means, and where it goes.
struct Field<Section>: Sendable {
  let name: String
  let form: FieldForm
  let summary: String
  var isRequired = false
  /// What it may hold instead of a section.
  var scalarForm: FieldForm?
  /// What each element of its list, or each of its names, may hold instead of a section.
  var elementForm: FieldForm?
  /// The keys of the section, or of each element of the list, that it holds.
  var within: @Sendable () -> [FieldOutline] = { [] }
  /// Whether those keys lie in sections, or lists, by names that the file gives.
  var holdsNames = false
  /// Its value in a section, as a file says it; `nil`: none.
  var initial: @Sendable (Section) -> String? = { _ in nil }
  let assign: @Sendable (inout Section, SourceNode, inout ScenarioReader) -> Void

  func required() -> Field {
    var copy = self
    copy.isRequired = true
    return copy
  }

  /// A node whose keys are those of a section, or of a section for each name, each of which may hold a form
  /// in its place.
  func holding<Held: ScenarioSection>(
    _ section: Held.Type, byName: Bool = false, or elementForm: FieldForm? = nil
  ) -> Field {
    var copy = self
    copy.within = { Held.outlines }
    copy.holdsNames = byName
    copy.elementForm = elementForm
    return copy
  }
}

/// What a field holds.
package enum FieldForm: Hashable, Sendable {
  /// A number with a unit, within a range in the held unit.
  case quantity(Dimension, ClosedRange<Double>)
  /// One of a list of names; empty if another room knows the list.
  case choice([String])
  /// One of the names that another room knows.
  case registered(Vocabulary.Names)
  case text
  /// A word or an expression of this kind.
  case named(String)
  /// One of those, or a list of them.
  case several(String)
  /// Shares by names of this kind, 100 % together.
  case shares(String)
  case section
  case list
}
