import CacheModel
import Text

/// Every key of the scenario language, section by section, as the sections declare them.
package struct ScenarioReference: Sendable {
  /// The keys at one place of a file.
  struct Section: Sendable {
    /// The keys that lead there.
    var path: String
    var about: String
    var fields: [FieldOutline]
  }

  /// A section before those within.
  private(set) var sections: [Section] = []

  package init() {
    let fields = FieldOutline.ofAnyScenario
    sections.append(Section(path: "scenario", about: "The top level of a file", fields: fields))
    for field in fields { add(field, below: "") }
  }

  private mutating func add(_ field: FieldOutline, below outer: String) {
    guard !field.within.isEmpty else { return }
    let path = outer.isEmpty ? field.name : "\(outer).\(field.name)"
    let about = Words.sentence(field.summary) + (field.holdsNames ? ", by name" : "")
    let designs = field.name == "cache" ? DesignPreset.all : []
    let ofDesigns = designs.flatMap { $0.fields.map(\.name) }
    sections.append(
      Section(
        path: path, about: about,
        fields: field.own.filter { !ofDesigns.contains($0.name) }))
    for design in designs {
      let names = design.fields.map(\.name)
      sections.append(
        Section(
          path: "\(path) for \(design.name)", about: "Keys that this preset alone has",
          fields: field.own.filter { names.contains($0.name) }))
    }
    for inner in field.own { add(inner, below: path) }
  }

  /// The page of the documentation.
  package var markdown: String {
    """
    # Scenario reference

    Every key of a scenario; [Scenarios](Scenarios.md) says how to use them, and has the units. An empty default: \
    nothing, or in `cache` what each preset says.

    This page is generated. Renew it with \
    `tidemark list fields --format markdown > Documentation/ScenarioReference.md`.

    """
      + sections.map { section in
        let rows = section.fields.map { field in
          "| `\(field.name)` | \(value(of: field, in: section)) | \(field.rangeInWords) | "
            + "\(field.defaultInWords) | \(field.summary) |\n"
        }
        return """

          ## `\(section.path)`

          \(section.about).

          | key | value | range | default | meaning |
          | --- | --- | --- | --- | --- |

          """ + rows.joined()
      }.joined()
  }

  /// The columns of a table of all keys, and its rows.
  package var table: (columns: [String], rows: [[String]]) {
    (
      ["section", "key", "value", "range", "default", "meaning"],
      sections.flatMap { section in
        section.fields.map {
          [
            section.path, $0.name, $0.valueInWords, $0.rangeInWords, $0.defaultInWords, $0.summary,
          ]
        }
      }
    )
  }

  /// What a key holds, with a link to the keys within.
  private func value(of field: FieldOutline, in section: Section) -> String {
    guard !field.within.isEmpty else { return field.valueInWords }
    let path = section.path == "scenario" ? field.name : "\(section.path).\(field.name)"
    let place = path.filter { $0.isLetter || $0.isNumber || $0 == "-" }
    return field.valueInWords.replacing(FieldOutline.sectionWord, with: "[section](#\(place))")
  }
}

extension FieldOutline {
  /// The keys of any scenario, whatever its queries are called.
  static let ofAnyScenario: [FieldOutline] = Scenario.outlines.map { section in
    var section = section
    let prefix = "time-to-live."
    guard var ofQuery = section.within.first(where: { $0.name.hasPrefix(prefix) }) else {
      return section
    }
    ofQuery.name = prefix + queryWord
    section.within.removeAll { $0.name.hasPrefix(prefix) }
    section.within.append(ofQuery)
    return section
  }

  /// What stands for the name of any query.
  static let queryWord = "QUERY"

  fileprivate static let sectionWord = "section"

  /// The keys within that are not those of another section.
  fileprivate var own: [FieldOutline] {
    guard name == PolicyEntry.listField.name else { return within }
    let ofCache = CacheSection.fields.map(\.name)
    return within.filter { !ofCache.contains($0.name) && !$0.name.hasSuffix(Self.queryWord) }
  }

  /// What may be written in place of a section.
  var scalar: FieldForm? {
    switch form {
    case .section, .list: scalarForm
    default: form
    }
  }

  var valueInWords: String {
    guard !within.isEmpty else { return form.inWords }
    let element = ([elementForm].compactMap(\.self).map(\.inWords) + [Self.sectionWord])
      .joined(separator: ", or ")
    return switch form {
    case .list where holdsNames: "lists by name: \(element)"
    case .list: "list: \(element)"
    case _ where holdsNames: "by name: \(element)"
    default: ([scalar].compactMap(\.self).map(\.inWords) + [element]).joined(separator: ", or ")
    }
  }

  var rangeInWords: String {
    guard case .quantity(let dimension, let range)? = scalar else { return "" }
    // What is counted is named by its value.
    let unit = if case .count = dimension { Dimension.number } else { dimension }
    return "\(unit.inWords(range.lowerBound)) … \(unit.inWords(range.upperBound))"
  }

  var defaultInWords: String { isRequired ? "required" : initial.map { $0.isEmpty ? $0 : "`\($0)`" } ?? "" }
}

extension FieldForm {
  fileprivate var inWords: String {
    switch self {
    case .quantity(.count(let plural), _): plural.isEmpty ? "number" : plural
    case .quantity(let dimension, _): dimension.noun
    case .choice([]): "a name of `tidemark list metrics`"
    case .choice(PolicyEntry.presets): "a name of `tidemark list presets`"
    case .choice(let names): names.map { "`\($0)`" }.joined(separator: ", ")
    case .registered(.evictionOrders): "a name of `tidemark list policies`"
    case .registered(.admissions): "a name of `tidemark list admissions`"
    case .text: "text"
    case .named(let kind): kind
    case .several(let kind): "\(kind), or a list"
    case .shares(let kind): "shares by \(kind)"
    case .section: "section"
    case .list: "list"
    }
  }
}
