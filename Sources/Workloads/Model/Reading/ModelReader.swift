import CacheModel
import Text

/// The data of an app, as written in a file.
struct DataSection: ScenarioSection {
  var entities: SourceNode?
  var queries: SourceNode?
  var operations: SourceNode?

  static let fields: [Field<DataSection>] = [
    Field(name: SharedModels.key, form: .named("model"), summary: "model to build on: `files`") {
      _, _, _ in
      // Removed when the shared model is merged under the file.
    },
    .node("entities", \.entities, "the types of entity", form: .section)
      .holding(EntitySection.self, byName: true),
    .node("queries", \.queries, "the lists that people look at", form: .section)
      .holding(QuerySection.self, byName: true),
    .node("operations", \.operations, "operations that change them", form: .section)
      .holding(OperationSection.self, byName: true),
  ]
}

/// Reads the section `data:`, in order of names, so that each may refer to later ones.
struct ModelReader {
  var types: [EntityType] = []
  /// The names of types, before their fields are known.
  private var names: [String] = []
  /// The place of each field of each type.
  var places: [[SourcePlace?]] = []
  /// By type, the declared fields that could not be read; `nil`: none of them could.
  ///
  /// A reference to one of them is not an error by itself.
  private var unread: [[String]?] = []
  /// The lists with a declared mean.
  private var means: [(type: Int, field: Int)] = []
  /// The place of each type's summary.
  private(set) var summaryPlaces: [SourcePlace?] = []
  /// The types whose summaries could not be read.
  private var unreadSummaries: [Int] = []
  /// Copied lists, resolved when all fields are known.
  private var copies: [(type: Int, field: Int, node: SourceNode)] = []
  /// Trees, also to be resolved by name.
  private(set) var treeNodes: [(type: Int, field: Int, node: SourceNode)] = []
  /// The types created by trees, which have no declared number.
  var treeTypes: [Int] = []
  /// Whether a part that could not be read may contain a tree.
  var hasUnreadTree: Bool { hasMisreadField || unread.indices.contains { hasUnreadField($0) } }
  private var hasMisreadField = false

  /// Returns whether a type declares a field that could not be read.
  func hasUnreadField(_ type: Int) -> Bool { unread[type]?.isEmpty != true }

  static func read(_ node: SourceNode, _ reader: inout ScenarioReader) -> DataModel? {
    var section = DataSection()
    let faulty = reader.read(node, into: &section)
    // Any of them may come from the model that a misspelt `use` means.
    guard faulty.isEmpty else { return nil }
    guard let entities = section.entities, let queries = section.queries else {
      let missing = section.entities == nil ? "entities" : "queries"
      reader.report(node.place, "`\(missing)` is missing", "add it, or take a model: `use: files`")
      return nil
    }
    var own = ModelReader()
    own.readTypes(entities, &reader)
    own.checkCascades(&reader)
    own.checkMeans(&reader)
    guard !own.types.isEmpty else { return nil }
    DataModel.setSlots(of: &own.types)
    let mistakes = reader.mistakes
    var model = DataModel(types: own.types, shapes: own.shapes(queries, &reader))
    // While a query has mistakes, it is unknown what it should show.
    if reader.mistakes == mistakes { own.checkSummaries(model.shapes, &reader) }
    if let operations = section.operations {
      model.operations = own.operations(operations, &reader)
    }
    return model
  }

  // MARK: Types

  private mutating func readTypes(_ node: SourceNode, _ reader: inout ScenarioReader) {
    let entries = reader.named(node, "type", atMost: DataModel.maximumTypes)
    names = entries.map(\.key)
    var counts: [(node: SourceNode?, isUnread: Bool)] = []
    for entry in entries {
      var section = EntitySection()
      let faulty = reader.read(entry.value, into: &section)
      var type = EntityType(name: entry.key, count: 0, size: .fixed(1), fields: [])
      counts.append((section.count, faulty.contains("count")))
      if let count = section.count,
        let value = reader.whole(count, .count(Plural.of(entry.key)), in: 0...1_000_000)
      {
        type.count = Int(value)
      }
      if let size = section.size { type.size = SizeSection.read(size, &reader) ?? type.size }
      var fieldPlaces: [SourcePlace?] = []
      var unreadFields: [String]? = faulty.contains("has") ? nil : []
      if let has = section.has {
        let before = reader.mistakes
        let fields = reader.named(has, "field", atMost: DataModel.maximumFields)
        if fields.isEmpty, reader.mistakes > before { unreadFields = nil }
        for field in fields {
          let before = reader.mistakes
          let content = content(field.value, ofField: type.fields.count, &reader)
          if reader.mistakes > before { hasMisreadField = true }
          guard let content else {
            unreadFields?.append(field.key)
            continue
          }
          var declared = ModelField(name: field.key, content: content)
          declared.starts = starts(field.value, &reader)
          type.fields.append(declared)
          fieldPlaces.append(field.keyPlace)
        }
      }
      types.append(type)
      unread.append(unreadFields)
      places.append(fieldPlaces)
      readSummary(section.summary, &reader)
      if faulty.contains("summary") { unreadSummaries.append(types.count - 1) }
    }
    for copy in copies { readCopy(copy, &reader) }
    readTrees(counts, of: entries.map(\.value), &reader)
  }

  /// Reads the summary of the type that was read last, if it has one.
  private mutating func readSummary(_ node: SourceNode?, _ reader: inout ScenarioReader) {
    let type = types.count - 1
    summaryPlaces.append(node?.place)
    guard let node else { return }
    types[type].summary = summary(node, ofType: type, &reader)
    if types[type].summary == nil { unreadSummaries.append(type) }
  }

  /// Returns whether a type has a summary that could not be read.
  func areSummariesUnread(ofType type: Int) -> Bool { unreadSummaries.contains(type) }

  /// Returns the kind of a field: a word or two, or a section.
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
        .one(type: $0, .uniform, cascades: false)
      }
    case ("many", 2):
      return type(words[1], at: node.place, &reader).map {
        .many(type: $0, .uniform, count: .mean(3))
      }
    default:
      let known = ["integer", "time", "text", "flag", "one", "many"]
      reader.report(
        node.place, "`\(ScenarioReader.shortened(text))` is not a kind of field",
        NearestName.suggestion(for: words.first ?? "", among: known).map {
          "did you mean `\($0)`?"
        }
          ?? "write integer, time, text, flag, `one TYPE` or `many TYPE`, or at length, such as "
          + "`{integer: 1..99}`")
      return nil
    }
  }

  /// Returns the initial value of a new entity's integer, or that its list is empty, if declared.
  private func starts(
    _ node: SourceNode, _ reader: inout ScenarioReader
  ) -> ClosedRange<Int64>? {
    guard case .mapping(let entries) = node.content,
      let value = entries.first(where: { $0.key == "starts" })?.value
    else { return nil }
    if entries.contains(where: { $0.key == "many" }) {
      if case .scalar("0") = value.content { return 0...0 }
      reader.report(value.place, "a list begins empty, or as at the beginning", "write `starts: 0`")
      return nil
    }
    guard entries.contains(where: { $0.key == "integer" }) else { return nil }
    if case .scalar(let text) = value.content, let number = Quantity.wholeNumber(text),
      abs(number) <= ScenarioReader.largestInteger
    {
      return number...number
    }
    return reader.bounds(value)
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
    let faulty = reader.read(node, into: &section)
    let kinds = section.kinds
    guard kinds.count == 1, let kind = kinds.first else {
      guard faulty.isEmpty else { return nil }
      reader.report(
        node.place,
        kinds.isEmpty
          ? "the field has no kind"
          : "the field is both `\(kinds[0].name)` and `\(kinds[1].name)`",
        "write one of `one`, `many`, `integer`, `time` and `flag`")
      return nil
    }
    reader.reportUnused(FieldSection.qualifiers, in: node, what: "field", says: kind.name)
    if section.from != nil, let place = node.place(ofKey: "mean") {
      reader.report(
        place, "`mean` is how many references are drawn, and `from` copies another list",
        "remove one of the two")
    }
    let choice = section.zipf.map { Choice.zipf($0) } ?? .uniform
    switch kind.name {
    case "one", "many":
      guard let name = reader.scalar(kind.node),
        let target = type(name, at: kind.node.place, &reader)
      else { return nil }
      if kind.name == "one" {
        if let tree = section.tree { treeNodes.append((types.count, field, tree)) }
        return .one(type: target, choice, cascades: section.cascade)
      }
      if let from = section.from { copies.append((types.count, field, from)) }
      if section.mean != nil { means.append((types.count, field)) }
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

  /// Reads `author.followers`: a reference of the type, and a list of its target.
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
    guard let through = field(words[0], ofType: copy.type, at: copy.node.place, &reader) else {
      return
    }
    guard case .one(let other, _, _) = own.fields[through].content else {
      return reader.reportNoReference(words[0], at: copy.node.place)
    }
    guard let list = field(words[1], ofType: other, at: copy.node.place, &reader) else { return }
    guard case .many(let target, _, _) = types[other].fields[list].content,
      case .many(target, let choice, _) = own.fields[copy.field].content
    else {
      reader.report(
        copy.node.place, "`\(ScenarioReader.shortened(text))` is not a list of the same type",
        "name a `many` of the type that this field refers to")
      return
    }
    types[copy.type].fields[copy.field].content = .many(
      type: target, choice, count: .copied(through: through, list: list))
  }

  /// Returns a field's index by name; reports an undeclared one.
  func field(
    _ name: String, ofType type: Int, at place: SourcePlace?, _ reader: inout ScenarioReader
  ) -> Int? {
    let names = types[type].fields.map(\.name)
    guard let unread = unread[type], !unread.contains(name) else {
      return names.firstIndex(of: name)
    }
    return reader.place(
      of: name, at: place, what: "field of `\(types[type].name)`", among: names)
  }

  /// Reports ownership cycles across several types: only a type that owns itself forms a tree.
  private func checkCascades(_ reader: inout ScenarioReader) {
    for type in types.indices {
      for (field, place) in zip(types[type].fields, places[type]) {
        guard case .one(let owner, _, true) = field.content, owner != type,
          let path = ownerPath(from: owner, to: type)
        else { continue }
        let names = ([type] + path).map { types[$0].name }
        reader.report(
          place,
          "`\(names[0])` would be deleted with itself: its owners lead back to it, "
            + names.joined(separator: " → "),
          "remove `cascade` from `\(field.name)`")
        return
      }
    }
  }

  /// Reports lists with too many references: duplicates would reduce the declared mean considerably.
  private func checkMeans(_ reader: inout ScenarioReader) {
    for (type, field) in means {
      guard types[type].fields.indices.contains(field),
        case .many(let target, let choice, .mean(let mean)) = types[type].fields[field].content,
        case let other = types[target], other.count > 0
      else { continue }
      let kept = ZipfEstimate.distinct(ofDraws: mean, choice, among: other.count)
      guard kept < ZipfEstimate.leastShareKept * mean else { continue }
      reader.report(
        places[type][field],
        "each is held once, so that of \(Words.count(mean, other.name)) on average "
          + "\(Words.about(kept)) would be kept of \(Words.count(other.count, other.name))",
        "lower `mean` or `zipf`")
    }
  }

  /// Returns the shortest path from a type to another by owners, including both; `nil` if there is none.
  private func ownerPath(from start: Int, to end: Int) -> [Int]? {
    var paths = [[start]]
    var reached = [start]
    while !paths.isEmpty {
      let path = paths.removeFirst()
      guard let last = path.last, last != end else { return path }
      for field in types[last].fields {
        guard case .one(let owner, _, true) = field.content, !reached.contains(owner) else {
          continue
        }
        reached.append(owner)
        paths.append(path + [owner])
      }
    }
    return nil
  }
}

extension ScenarioReader {
  mutating func reportNoReference(_ name: String, at place: SourcePlace?) {
    report(
      place, "`\(Self.shortened(name))` is not a reference to one entity",
      "name a field that is `one` of a type")
  }

  /// The maximum absolute initial value of an integer.
  static let largestInteger: Int64 = 1 << 50

  /// Reads two whole numbers, such as `1..100`.
  mutating func bounds(_ node: SourceNode) -> ClosedRange<Int64>? {
    guard let text = scalar(node) else { return nil }
    let separator = text.firstRange(of: "..")
    let lower = separator.flatMap { Quantity.wholeNumber(String(text[..<$0.lowerBound])) }
    let upper = separator.flatMap { Quantity.wholeNumber(String(text[$0.upperBound...])) }
    let most = Self.largestInteger
    guard let lower, let upper, lower <= upper, lower >= -most, upper <= most else {
      report(
        node.place, "`\(Self.shortened(text))` is not a range of whole numbers",
        "write the lowest and the highest: `1..100`")
      return nil
    }
    return lower...upper
  }
}
