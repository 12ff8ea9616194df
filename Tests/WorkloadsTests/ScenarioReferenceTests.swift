import Foundation
import Testing
import Text

@testable import Workloads

@Suite("The reference of the scenario language")
struct ScenarioReferenceTests {
  /// All keys below some, with the keys that lead there.
  private func all(_ fields: [FieldOutline], below path: String = "") -> [(String, FieldOutline)] {
    fields.flatMap { [(path + $0.name, $0)] + all($0.within, below: "\(path)\($0.name).") }
  }

  @Test("The page equals the sections' declarations")
  func page() throws {
    let file = ScenarioFiles.folder.deletingLastPathComponent()
      .appending(path: "Documentation/ScenarioReference.md")
    #expect(
      try String(contentsOf: file, encoding: .utf8) == ScenarioReference().markdown,
      "renew it: tidemark list fields --format markdown > Documentation/ScenarioReference.md")
  }

  @Test("A default is a value that the key reads")
  func defaults() {
    let fields = all(FieldOutline.ofAnyScenario)
    #expect(fields.count > 200)
    for (path, field) in fields {
      guard let initial = field.initial(), !initial.isEmpty else { continue }
      #expect(field.takes(initial), "\(path): \(initial)")
    }
  }

  @Test("Both bounds of a range are read, and are written so that a person reads them")
  func ranges() {
    for (path, field) in all(FieldOutline.ofAnyScenario) {
      guard case .quantity(let dimension, let range)? = field.scalar else { continue }
      for bound in [range.lowerBound, range.upperBound] {
        #expect(field.takes(dimension.inWords(bound)), "\(path): \(dimension.inWords(bound))")
      }
    }
  }

  /// The first example of the guide, whole.
  private func app() throws -> String {
    let file = ScenarioFiles.folder.deletingLastPathComponent()
      .appending(path: "Documentation/Scenarios.md")
    let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```yaml\n")
    return try #require(parts.dropFirst().first).components(separatedBy: "```")[0]
  }

  @Test("The app of the guide is read, and a step of a user is reached by its path")
  func path() throws {
    let document = try ScenarioDocument(Array(app().utf8), file: "my-app.yaml")
    #expect(try document.scenario(vocabulary: .unchecked).name == "my-app")
    for (path, value) in [("read.1.zipf", "0.5"), ("read.2.page-on", "2 pages")] {
      let path = "users.phone.activities.\(path)"
      #expect(try document.field(path).isNumeric)
      let changed = try document.setting(path, to: value)
      #expect(changed.yaml != document.yaml)
      _ = try changed.scenario(vocabulary: .unchecked)
    }
    let error = #expect(throws: ScenarioError.self) {
      try document.field("users.phone.activities.read")
    }
    #expect(error?.problems.first?.description.hasSuffix("a field of it: 0, 1, 2") == true)
  }

  @Test("Every scenario is valid by the schema, and so is the app of the guide")
  func valid() throws {
    let schema = SchemaCheck(ScenarioSchema(vocabulary: .unchecked).value)
    for name in ScenarioFiles.names {
      #expect(try schema.problems(of: try ScenarioFiles.text(name)) == [], "\(name)")
    }
    #expect(try schema.problems(of: app()) == [])
  }

  @Test(
    "The schema finds an unknown key, another unit, a word that is not a choice, and a missing key",
    arguments: [
      ("name: a\nduration: 1 h\nusres: []", "usres"),
      ("name: a\nduration: 1", "duration"),
      ("name: a\nduration: 1 h\nnetwork: {events: pul}", "network.events"),
      ("name: a\nduration: 1 h\ndata: {use: files, entities: {file: {cuont: 5}}}", "data"),
      ("name: a\nduration: 1 h\ncache: {membership: {others: patch}}", "cache.membership"),
      ("name: a\nduration: 1 h\npolicies: [{name: b, preset: lru, retention: most}]", "policies"),
      ("name: a", "duration"),
    ])
  func invalid(yaml: String, place: String) throws {
    let problems = try SchemaCheck(ScenarioSchema(vocabulary: .unchecked).value).problems(of: yaml)
    #expect(problems.count == 1 && problems[0].hasPrefix(place), "\(problems)")
  }
}

/// Validates YAML against a JSON Schema, as far as the schema of scenarios goes.
private struct SchemaCheck {
  let schema: JSONValue

  init(_ schema: JSONValue) { self.schema = schema }

  /// The places, by their keys, at which a text is not what the schema says.
  func problems(of yaml: String) throws -> [String] {
    problems(try YAMLSource.parse(Array(yaml.utf8), file: "a.yaml"), schema, at: [])
  }

  private func problems(_ node: SourceNode, _ rule: JSONValue, at path: [String]) -> [String] {
    let here = [path.joined(separator: ".")]
    if let reference = rule["$ref"]?.text {
      let target = reference.split(separator: "/").dropFirst()
        .reduce(Optional(schema)) { $0?[String($1)] }
      return target.map { problems(node, $0, at: path) } ?? here
    }
    if let forms = rule["anyOf"]?.elements {
      return forms.contains { problems(node, $0, at: path).isEmpty } ? [] : here
    }
    switch node.content {
    case .scalar(let text):
      if let words = rule["enum"]?.elements { return words.contains(.string(text)) ? [] : here }
      if let pattern = rule["pattern"]?.text { return matches(text, pattern) ? [] : here }
      guard let type = rule["type"] else { return [] }
      let types = type.elements ?? [type]
      return types.contains(.string("string"))
        || types.contains(.string("number")) && Double(text) != nil ? [] : here
    case .sequence(let nodes):
      guard rule["type"] == .string("array"), let element = rule["items"] else { return here }
      return nodes.flatMap { problems($0, element, at: path) }
    case .mapping(let entries):
      guard rule["type"] == .string("object") else { return here }
      let missing = (rule["required"]?.elements ?? []).compactMap(\.text)
        .filter { name in !entries.contains { $0.key == name } }
      return missing.map { (path + [$0]).joined(separator: ".") }
        + entries.flatMap { entry in
          let own = path + [entry.key]
          guard let form = form(of: entry.key, in: rule) else {
            return [own.joined(separator: ".")]
          }
          return problems(entry.value, form, at: own)
        }
    }
  }

  /// The allowed value of an object's key; `nil`: the key is not allowed.
  private func form(of key: String, in rule: JSONValue) -> JSONValue? {
    if let form = rule["properties"]?[key] { return form }
    if case .object(let patterns)? = rule["patternProperties"],
      let pattern = patterns.first(where: { matches(key, $0.name) })
    {
      return pattern.value
    }
    let others = rule["additionalProperties"]
    return others == .bool(false) ? nil : others
  }

  private func matches(_ text: String, _ pattern: String) -> Bool {
    (try? Regex(pattern).firstMatch(in: text)) != nil
  }
}
