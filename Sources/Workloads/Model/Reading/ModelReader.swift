import CacheModel
import Text

/// Reads the section `model:`, name by name, so that each may name what stands below it.
struct ModelReader {
  private(set) var types: [EntityType] = []
  /// The types' names, before their fields are known.
  private var names: [String] = []
  /// Where each field of each type was written.
  var places: [[SourcePlace?]] = []
  /// Copied lists, which are looked up when all fields are known.
  private var copies: [(type: Int, field: Int, node: SourceNode)] = []

  private static let keys = ["entities", "queries", "operations"]

  /// The model of a node; problems are the reader's.
  static func read(_ node: SourceNode, _ reader: inout ScenarioReader) -> DataModel? {
    guard case .mapping(let entries) = node.content else {
      reader.report(
        node.place, "a section is expected here, not \(node.kindName)",
        "write `entities:` and `queries:` in it")
      return nil
    }
    let unknown = entries.filter { !keys.contains($0.key) }
    for entry in unknown {
      reader.report(
        entry.keyPlace, "unknown key `\(ScenarioReader.shortened(entry.key))`",
        reader.remedy(for: entry.key, among: keys))
    }
    guard unknown.isEmpty else { return nil }
    func section(_ key: String) -> SourceNode? { entries.first { $0.key == key }?.value }
    guard let entities = section("entities"), let queries = section("queries") else {
      let missing = section("entities") == nil ? "entities" : "queries"
      reader.report(
        node.place, "`\(missing)` is missing",
        missing == "entities" ? "add the types of entity" : "add the lists that people look at")
      return nil
    }
    var own = ModelReader()
    own.readTypes(entities, &reader)
    own.checkCascades(&reader)
    guard !own.types.isEmpty else { return nil }
    DataModel.setSlots(of: &own.types)
    var model = DataModel(types: own.types, shapes: own.shapes(queries, &reader))
    if let operations = section("operations") {
      model.operations = own.operations(operations, &reader)
    }
    return model
  }

  // MARK: Types

  private mutating func readTypes(_ node: SourceNode, _ reader: inout ScenarioReader) {
    let entries = reader.named(node, "type", atMost: DataModel.maximumTypes)
    names = entries.map(\.key)
    for entry in entries {
      var section = EntitySection()
      reader.read(entry.value, into: &section)
      var type = EntityType(name: entry.key, count: 0, size: .fixed(1), fields: [])
      if let count = section.count,
        let value = reader.whole(count, .count(Plural.of(entry.key)), in: 0...1_000_000)
      {
        type.count = Int(value)
      }
      if let size = section.size { type.size = SizeSection.read(size, &reader) ?? type.size }
      var fieldPlaces: [SourcePlace?] = []
      if let has = section.has {
        for field in reader.named(has, "field", atMost: DataModel.maximumFields) {
          guard let content = content(field.value, ofField: type.fields.count, &reader) else {
            continue
          }
          type.fields.append(ModelField(name: field.key, content: content, storage: .value(0)))
          fieldPlaces.append(field.keyPlace)
        }
      }
      types.append(type)
      places.append(fieldPlaces)
    }
    for copy in copies { readCopy(copy, &reader) }
  }

  /// What a field holds: a word or two, or a section.
  private mutating func content(
    _ node: SourceNode, ofField field: Int, _ reader: inout ScenarioReader
  ) -> ModelField.Content? {
    guard case .scalar(let text) = node.content else {
      return long(node, ofField: field, &reader)
    }
    let words = text.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("integer", 1): return .integer(0...1_000)
    case ("time", 1): return .time(meanAge: .days(30))
    case ("text", 1): return .text
    case ("flag", 1): return .flag(share: 0)
    case ("one", 2):
      return type(words[1], at: node.place, &reader).map {
        .one(type: $0, .uniform, isOwner: false)
      }
    case ("many", 2):
      return type(words[1], at: node.place, &reader).map {
        .many(type: $0, .uniform, count: .mean(3))
      }
    default:
      let known = ["integer", "time", "text", "flag", "one", "many"]
      reader.report(
        node.place, "`\(ScenarioReader.shortened(text))` is nothing that a field holds",
        NearestName.suggestion(for: words.first ?? "", among: known).map {
          "did you mean `\($0)`?"
        } ?? "write integer, time, text, flag, `one TYPE` or `many TYPE`")
      return nil
    }
  }

  private func type(
    _ name: String, at place: SourcePlace?, _ reader: inout ScenarioReader
  ) -> Int? {
    reader.place(of: name, at: place, what: "type", among: names)
  }

  private mutating func long(
    _ node: SourceNode, ofField field: Int, _ reader: inout ScenarioReader
  ) -> ModelField.Content? {
    var section = FieldSection()
    reader.read(node, into: &section)
    let kinds = section.kinds
    guard kinds.count == 1, let kind = kinds.first else {
      reader.report(
        node.place,
        kinds.isEmpty
          ? "the field says not what it holds"
          : "the field is both `\(kinds[0].name)` and `\(kinds[1].name)`",
        "write one of `one`, `many`, `integer`, `time` and `flag`")
      return nil
    }
    let isReference = kind.name == "one" || kind.name == "many"
    let misplaced: [(String, Bool)] = [
      ("mean", section.mean != nil && kind.name != "many"),
      ("zipf", section.zipf != nil && !isReference),
      ("owner", section.owner && kind.name != "one"),
      ("from", section.from != nil && kind.name != "many"),
      ("from", section.from != nil && section.mean != nil),
    ]
    if let wrong = misplaced.first(where: \.1) {
      reader.report(
        node.place, "`\(wrong.0)` contradicts what the field holds, `\(kind.name)`",
        "remove `\(wrong.0)`")
      return nil
    }
    let choice = section.zipf.map { Choice.zipf($0) } ?? .uniform
    switch kind.name {
    case "one", "many":
      guard let name = reader.scalar(kind.node),
        let target = type(name, at: kind.node.place, &reader)
      else { return nil }
      if kind.name == "one" { return .one(type: target, choice, isOwner: section.owner) }
      if let from = section.from { copies.append((types.count, field, from)) }
      let mean = section.mean.flatMap { reader.mean($0, of: Plural.of(name), in: 0...10_000) }
      return .many(type: target, choice, count: .mean(mean ?? 3))
    case "integer": return reader.bounds(kind.node).map { .integer($0) }
    case "time":
      return reader.whole(
        kind.node, .duration, in: 0...Duration.days(3_650).wholeNanoseconds
      ).map { .time(meanAge: .nanoseconds($0)) }
    default: return reader.real(kind.node, .share, in: 0...1).map { .flag(share: $0) }
    }
  }

  /// `author.followers`: a reference of the type, and a list of what it leads to.
  private mutating func readCopy(
    _ copy: (type: Int, field: Int, node: SourceNode), _ reader: inout ScenarioReader
  ) {
    guard let text = reader.scalar(copy.node) else { return }
    let words = text.split(separator: ".").map(String.init)
    guard words.count == 2 else {
      reader.report(
        copy.node.place, "`\(ScenarioReader.shortened(text))` is not a list of another entity",
        "write a reference, a point, and its list: `author.followers`")
      return
    }
    let own = types[copy.type]
    guard
      let through = reader.place(
        of: words[0], at: copy.node.place, what: "field", among: own.fields.map(\.name)),
      case .one(let other, _, _) = own.fields[through].content
    else { return reader.reportNoReference(words[0], at: copy.node.place) }
    guard
      let list = reader.place(
        of: words[1], at: copy.node.place, what: "field",
        among: types[other].fields.map(\.name)),
      case .many(let target, _, _) = types[other].fields[list].content,
      case .many(target, let choice, _) = own.fields[copy.field].content
    else {
      reader.report(
        copy.node.place, "`\(ScenarioReader.shortened(text))` is no list of the same type",
        "name a `many` of the type that this field refers to")
      return
    }
    types[copy.type].fields[copy.field].content = .many(
      type: target, choice, count: .copied(through: through, list: list))
  }

  /// Reports owners in a circle: a deletion would never end.
  private func checkCascades(_ reader: inout ScenarioReader) {
    for type in types.indices {
      for (field, place) in zip(types[type].fields, places[type]) {
        guard case .one(let owner, _, true) = field.content else { continue }
        var reached = [owner]
        var next = 0
        while next < reached.count {
          for field in types[reached[next]].fields {
            if case .one(let further, _, true) = field.content, !reached.contains(further) {
              reached.append(further)
            }
          }
          next += 1
        }
        guard reached.contains(type) else { continue }
        reader.report(
          place,
          "`\(types[type].name)` would be deleted with itself: its owners lead back to it",
          "remove `owner` from `\(field.name)`")
        return
      }
    }
  }
}

extension ScenarioReader {
  mutating func reportNoReference(_ name: String, at place: SourcePlace?) {
    report(
      place, "`\(Self.shortened(name))` is no reference to one entity",
      "name a field that is `one` of a type")
  }

  /// Two whole numbers, such as `1..100`.
  mutating func bounds(_ node: SourceNode) -> ClosedRange<Int64>? {
    guard let text = scalar(node) else { return nil }
    let separator = text.firstRange(of: "..")
    let lower = separator.flatMap { Int64(text[..<$0.lowerBound].filter { $0 != "_" }) }
    let upper = separator.flatMap { Int64(text[$0.upperBound...].filter { $0 != "_" }) }
    let most: Int64 = 1 << 50
    guard let lower, let upper, lower <= upper, lower >= -most, upper <= most else {
      report(
        node.place, "`\(Self.shortened(text))` is no range of whole numbers",
        "write the lowest and the highest: `1..100`")
      return nil
    }
    return lower...upper
  }
}
