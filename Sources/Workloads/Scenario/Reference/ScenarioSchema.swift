import ResultModel
package import Text

/// The scenario language as a JSON Schema, with which an editor completes and checks a file.
///
/// It defines keys and the syntax of their values. Rules that depend on other values (ranges in other units,
/// names declared by the file, combinations) are checked only by reading the file.
package struct ScenarioSchema: Sendable {
  private let vocabulary: Vocabulary

  package init(vocabulary: Vocabulary) {
    self.vocabulary = vocabulary
  }

  package func document() throws(NotFinite) -> [UInt8] { try JSONWriter.document(value) }

  var value: JSONValue {
    guard case .object(let members) = section(FieldOutline.ofAnyScenario, isWhole: true) else {
      return .null
    }
    return .object(
      [
        JSONMember("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
        JSONMember("title", .string("A scenario of Tidemark")),
      ] + members + [JSONMember("$defs", .object(Self.definitions))])
  }

  // `isWhole`: required keys must be in this file, not in a model that the data use. `known`: keys that the
  // section `cache` already has with all their values.
  private func section(
    _ fields: [FieldOutline], isWhole: Bool, besides known: [String] = []
  ) -> JSONValue {
    var properties: [JSONMember] = []
    for field in fields {
      let value = value(of: field, isWhole: isWhole && field.name != Scenario.modelKey)
      let (name, placeholder) = ValuesByName.parts(of: field.name) ?? (field.name, nil)
      if known.contains(where: { $0 == name || $0.hasPrefix("\(name).") }) {
        guard !properties.contains(where: { $0.name == name }) else { continue }
        let place = "#/properties/cache/properties/\(name)"
        properties.append(JSONMember(name, .object([JSONMember("$ref", .string(place))])))
      } else if let placeholder {
        let common = properties.firstIndex { $0.name == name }
        let all = values(
          by: placeholder, described(field, value), common.map { properties[$0].value })
        if let common {
          properties[common] = JSONMember(name, all)
        } else {
          properties.append(JSONMember(name, all))
        }
      } else {
        properties.append(JSONMember(name, described(field, value)))
      }
    }
    let required = fields.filter { $0.isRequired && isWhole }.map { JSONValue.string($0.name) }
    return .object(
      [JSONMember("type", .string("object")), JSONMember("properties", .object(properties))]
        + [JSONMember("additionalProperties", .bool(false))]
        + (required.isEmpty ? [] : [JSONMember("required", .array(required))]))
  }

  /// Returns one value, or a section with one for each query or origin.
  private func values(by placeholder: String, _ value: JSONValue, _ common: JSONValue?) -> JSONValue
  {
    let pattern = FieldOutline.placeholders.first { $0.0 == placeholder }?.1 ?? placeholder
    let section = JSONValue.object([
      JSONMember("type", .string("object")),
      JSONMember(
        "properties", .object(common.map { [JSONMember(ValuesByName.others, $0)] } ?? [])),
      JSONMember("patternProperties", .object([JSONMember("^\(pattern)$", value)])),
      JSONMember("additionalProperties", .bool(false)),
    ])
    return any([common, section].compactMap(\.self))
  }

  private func described(_ field: FieldOutline, _ value: JSONValue) -> JSONValue {
    guard case .object(let members) = value else { return value }
    var text = field.summary
    if case .quantity? = field.scalar, let form = field.scalar { text += "; \(form.inWords)" }
    return .object(
      [JSONMember("description", .string(text))] + members
        + (field.initial().map { [JSONMember("default", .string($0))] } ?? []))
  }

  private func value(of field: FieldOutline, isWhole: Bool) -> JSONValue {
    var forms: [JSONValue] = []
    if let form = field.scalar { forms.append(value(form)) }
    if case .quantity? = field.scalar, field.takes("unlimited") {
      forms.append(oneOf(["unlimited"]))
    }
    let isOfPolicies = field.name == PolicyEntry.listField.name
    let keys =
      field.within.isEmpty
      ? nil
      : section(
        field.within, isWhole: isWhole,
        besides: isOfPolicies ? CacheSection.fields.map(\.name) : [])
    let element = any([field.elementForm.map(value), keys].compactMap(\.self))
    switch field.form {
    case .list where field.holdsNames: forms.append(map(any([array(element), element])))
    case .list: forms.append(array(field.within.isEmpty ? reference("scalar") : element))
    case _ where field.holdsNames: forms.append(map(element))
    default: if let keys { forms.append(keys) }
    }
    return any(forms)
  }

  private func value(_ form: FieldForm) -> JSONValue {
    switch form {
    case .quantity(.count, _): reference("count")
    case .quantity(let dimension, _): reference(dimension.noun)
    case .choice([]): oneOf(MetricRegistry.all.map(\.name))
    case .choice(let names): oneOf(names)
    case .registered(let names): vocabulary[names].map(oneOf) ?? reference("scalar")
    case .text, .named: reference("scalar")
    case .several: any([reference("scalar"), array(reference("scalar"))])
    case .shares: map(reference("share"))
    case .section, .list: .object([])
    }
  }

  // MARK: Parts of a schema

  private func reference(_ name: String) -> JSONValue {
    .object([JSONMember("$ref", .string("#/$defs/\(name)"))])
  }

  /// YAML 1.1 parsers convert yes and no to booleans.
  private func oneOf(_ names: [String]) -> JSONValue {
    let words = names.map { JSONValue.string($0) }
    return .object([
      JSONMember(
        "enum", .array(names == ["yes", "no"] ? words + [.bool(true), .bool(false)] : words))
    ])
  }

  private func array(_ element: JSONValue) -> JSONValue {
    .object([JSONMember("type", .string("array")), JSONMember("items", element)])
  }

  private func map(_ element: JSONValue) -> JSONValue {
    .object([
      JSONMember("type", .string("object")), JSONMember("additionalProperties", element),
    ])
  }

  private func any(_ forms: [JSONValue]) -> JSONValue {
    forms.count == 1 ? forms[0] : .object([JSONMember("anyOf", .array(forms))])
  }

  private static let definitions: [JSONMember] = {
    func pattern(_ unit: String, orNumber: Bool = false) -> JSONValue {
      let text = JSONValue.object([
        JSONMember("type", .string("string")),
        JSONMember("pattern", .string("^[0-9][0-9_,]*(\\.[0-9_]+)?\(unit)$")),
      ])
      let number = JSONValue.object([JSONMember("type", .string("number"))])
      return orNumber ? .object([JSONMember("anyOf", .array([number, text]))]) : text
    }
    func units(of dimension: Dimension) -> String {
      " ?(\(dimension.units.map(\.name).joined(separator: "|")))"
    }
    let measured: [Dimension] = [.duration, .size, .bandwidth, .rate, .share]
    return measured.map { JSONMember($0.noun, pattern(units(of: $0))) } + [
      JSONMember("count", pattern("( ?[a-z-]+)?", orNumber: true)),
      JSONMember("number", pattern("", orNumber: true)),
      JSONMember(
        "scalar",
        .object([
          JSONMember("type", .array(["string", "number", "boolean"].map { .string($0) }))
        ])),
    ]
  }()
}
