import Text

/// A type of entity, as written in a file.
struct EntitySection: ScenarioSection {
  var count: SourceNode?
  var size: SourceNode?
  var has: SourceNode?
  var summary: SourceNode?

  static let fields: [Field<EntitySection>] = [
    .node(
      "count", \.count, "how many when the run begins; none for the entities of a tree",
      form: .count("", 0...1_000_000)),
    .node("size", \.size, "bytes of one as JSON", form: .named("size"))
      .required().holding(SizeSection.self),
    .node("has", \.has, "its fields by name", form: .section)
      .holding(FieldSection.self, byName: true, or: .named("word")),
    .node(
      "summary", \.summary, "the part that lists with `shows: summary` show", form: .section
    ).holding(SummarySection.self),
  ]
}

struct FieldSection: ScenarioSection {
  var one: SourceNode?
  var many: SourceNode?
  var integer: SourceNode?
  var time: SourceNode?
  var flag: SourceNode?
  var mean: SourceNode?
  var zipf: Double?
  var cascade = false
  var from: SourceNode?
  var starts: SourceNode?
  var tree: SourceNode?

  static let fields: [Field<FieldSection>] = [
    .node("one", \.one, "refers to one entity of this type", form: .named("type")),
    .node("many", \.many, "refers to several entities of this type", form: .named("type")),
    .node(
      "integer", \.integer, "a whole number: `1..100`", form: .named("bounds")),
    .node(
      "time", \.time, "an instant; its mean age when the run begins",
      form: .duration(.zero ... .days(3_650))),
    .node("flag", \.flag, "share of entities that have it set", form: .share),
    .node(
      "mean", \.mean, "mean number of references",
      form: .named("number")),
    .real("zipf", .number, \.zipf, 0.01...4, "exponent of the popularity of its targets"),
    .flag("cascade", \.cascade, "whether it is deleted with its target"),
    .node(
      "from", \.from, "another list, copied at creation: `author.followers`", form: .named("list")),
    .node(
      "starts", \.starts, "the integer of a new entity, or `0`: its list is empty",
      form: .named("number, or bounds")),
    .node("tree", \.tree, "tree of its targets", form: .section)
      .holding(TreeSection.self),
  ]

  /// The kinds of field that allow each other key.
  static let qualifiers = [
    Qualifier("mean", of: ["many"]), Qualifier("zipf", of: ["one", "many"]),
    Qualifier("cascade", of: ["one"]), Qualifier("from", of: ["many"]),
    Qualifier("starts", of: ["integer", "many"]), Qualifier("tree", of: ["one"]),
  ]

  /// The given keys that name the kind of the field.
  var kinds: [(name: String, node: SourceNode)] {
    [
      ("one", one), ("many", many), ("integer", integer), ("time", time), ("flag", flag),
    ].compactMap { pair in pair.1.map { (pair.0, $0) } }
  }
}

/// A tree of the entities that a field refers to, as written in a file.
struct TreeSection: ScenarioSection {
  var depth: SourceNode?
  var fanOut: SourceNode?
  var below: SourceNode?

  static let fields: [Field<TreeSection>] = [
    .node(
      "depth", \.depth, "levels, each as likely",
      form: .count("levels", 1...8)
    ).required(),
    .node(
      "fan-out", \.fanOut, "most entities in each", form: .count("", 1...1_000)
    ).required(),
    .node(
      "below", \.below, "the type that the first level is divided among",
      form: .named("type")),
  ]
}

extension ModelReader {
  /// Reads the trees and checks which types have a declared number, after all fields are known.
  mutating func readTrees(
    _ counts: [(node: SourceNode?, isUnread: Bool)], of typeNodes: [SourceNode],
    _ reader: inout ScenarioReader
  ) {
    for (type, field, node) in treeNodes {
      guard types[type].fields.indices.contains(field),
        case .one(let target, _, _) = types[type].fields[field].content
      else { continue }
      let name = types[target].name
      guard !treeTypes.contains(target) else {
        reader.report(
          node.place, "`\(name)` makes the tree of another field already",
          "give one of the two a type of its own")
        continue
      }
      treeTypes.append(target)
      if types[type].fields.contains(where: { $0.tree != nil }) || type == target {
        reader.report(
          node.place, "`\(types[type].name)` lies in two trees", "remove one of the two")
        continue
      }
      guard let tree = tree(node, of: target, from: type, &reader) else { continue }
      types[type].fields[field].tree = tree
      types[type].fields[field].isPlaceBelow = tree.below != nil
      types[target].fields[tree.link].isPlaceBelow = tree.below != nil
    }
    for (type, count) in counts.enumerated() {
      let isMade = treeTypes.contains(type)
      if let node = count.node, isMade {
        reader.report(
          node.place, "as many `\(types[type].name)` are made as their tree needs",
          "remove `count`, or the `tree`")
      } else if count.node == nil, !count.isUnread, !isMade, !hasUnreadTree {
        reader.report(
          typeNodes[type].place, "`count` is missing",
          "add it: how many there are when the run begins")
      }
    }
  }

  private func tree(
    _ node: SourceNode, of target: Int, from type: Int, _ reader: inout ScenarioReader
  ) -> ModelField.Tree? {
    var section = TreeSection()
    reader.read(node, into: &section)
    let name = types[target].name
    let links = types[target].fields.indices.filter {
      if case .one(target, _, _) = types[target].fields[$0].content { true } else { false }
    }
    guard links.count == 1, let link = links.first else {
      guard !hasUnreadField(target) else { return nil }
      reader.report(
        node.place,
        links.isEmpty
          ? "no `\(name)` refers to another, so that they make no tree"
          : "`\(name)` refers to itself by \(links.count) fields",
        "give it one field such as `parent: {one: \(name), cascade: yes}`")
      return nil
    }
    guard let depthNode = section.depth, let fanOutNode = section.fanOut,
      let depth = reader.whole(depthNode, .count("levels"), in: 1...8),
      let fanOut = reader.whole(fanOutNode, .count(Plural.of(name)), in: 1...1_000)
    else { return nil }
    var tree = ModelField.Tree(depth: Int(depth), fanOut: Int(fanOut), link: link)
    if tree.places > 1e12 {
      reader.report(node.place, "the tree has place for too many", "lower `fan-out`")
    }
    if let below = section.below, let name = reader.scalar(below) {
      guard
        let place = reader.place(
          of: name, at: below.place, what: "type", among: types.map(\.name))
      else { return nil }
      if place == target || place == type {
        reader.report(
          below.place, "`\(name)` lies in the tree itself", "name the type that it hangs below")
      }
      tree.below = place
    }
    return tree
  }
}

/// A type's summary, as written in a file.
struct SummarySection: ScenarioSection {
  var has: SourceNode?
  var size: SourceNode?

  static let fields: [Field<SummarySection>] = [
    .node("has", \.has, "the fields of the type that are seen in it", form: .several("field"))
      .required(),
    .node(
      "size", \.size, "its bytes as JSON, or their share of the whole's",
      form: .named("size, or share")
    )
    .required(),
  ]
}

extension ModelReader {
  func summary(
    _ node: SourceNode, ofType type: Int, _ reader: inout ScenarioReader
  ) -> EntitySummary? {
    var section = SummarySection()
    reader.read(node, into: &section)
    guard let has = section.has, let size = section.size else { return nil }
    var fields: [Int] = []
    for node in reader.elements(of: has) {
      guard let name = reader.scalar(node),
        let field = field(name, ofType: type, at: node.place, &reader)
      else { continue }
      if fields.contains(field) {
        reader.report(node.place, "`\(name)` is named twice", "remove one of the two")
      } else {
        fields.append(field)
      }
    }
    if reader.elements(of: has).isEmpty {
      reader.report(has.place, "nothing is seen in this summary", "name a field of the type")
    }
    guard let size = summarySize(size, ofType: type, &reader) else { return nil }
    return EntitySummary(fields: fields.sorted(), size: size)
  }

  private func summarySize(
    _ node: SourceNode, ofType type: Int, _ reader: inout ScenarioReader
  ) -> EntitySummary.Size? {
    guard let text = reader.scalar(node) else { return nil }
    if text.utf8.last == UInt8(ascii: "%") {
      return reader.real(node, .share, in: 0.001...1).map {
        .share(millionths: Int(($0 * 1_000_000).rounded()))
      }
    }
    guard let size = reader.whole(node, .size, in: 1...Int64(SizeDistribution.most)) else {
      return nil
    }
    if case .fixed(let whole) = types[type].size, whole > 1, size > whole {
      reader.report(
        node.place, "the summary is larger than the whole, which has \(Words.size(whole))",
        "lower it, or write a share of the whole's: `20 %`")
    }
    return .fixed(Int(size))
  }

  /// Returns whether a shape shows summaries: not by default or with `whole`.
  func showsSummaries(
    _ node: SourceNode, _ shape: QueryShape, _ reader: inout ScenarioReader
  ) -> Bool {
    let words = ["summary", "whole"]
    guard reader.name(node, what: "part of an entity", among: words) == "summary" else {
      return false
    }
    for type in shape.types where types[type].summary == nil && !areSummariesUnread(ofType: type) {
      reader.report(
        node.place, "`\(types[type].name)` has no summary to show",
        "give the type one: `summary: {has: [FIELD], size: 20 %}`")
    }
    return true
  }

  /// Reports summaries that no query shows.
  func checkSummaries(_ shapes: [QueryShape], _ reader: inout ScenarioReader) {
    for type in types.indices where types[type].summary != nil {
      let isShown = shapes.contains { $0.showsSummaries && $0.types.contains(type) }
      guard !isShown else { continue }
      reader.report(
        summaryPlaces[type], "no query shows the summary of `\(types[type].name)`",
        "write `shows: summary` in a query that lists it, or remove the summary")
    }
  }
}

/// A key with details of an operation, and the verbs that allow it.
struct Qualifier: Sendable {
  let key: String
  let verbs: [String]

  init(_ key: String, of verbs: [String]) {
    self.key = key
    self.verbs = verbs
  }
}

/// Reports keys without effect.
extension ScenarioReader {
  /// Reports the keys of a section that do not apply to its verb.
  mutating func reportUnused(
    _ qualifiers: [Qualifier], in node: SourceNode, what: String, says verb: String
  ) {
    let own = qualifiers.filter { $0.verbs.contains(verb) }.map(\.key)
    for qualifier in qualifiers where !own.contains(qualifier.key) {
      guard let place = node.place(ofKey: qualifier.key) else { continue }
      let users = qualifier.verbs.map { "`\($0)`" }
      let nearest = NearestName.suggestion(for: qualifier.key, among: own)
      let others = Words.list(own.map { "`\($0)`" })
      report(
        place,
        "`\(qualifier.key)` belongs to \(Words.list(users)), and this \(what) says `\(verb)`",
        nearest.map { "did you mean `\($0)`?" }
          ?? "remove it\(own.isEmpty ? "" : "; `\(verb)` takes \(others)")")
    }
  }

  /// Reports an exponent if every entity is equally likely.
  mutating func reportExponent(in node: SourceNode) {
    guard let place = node.place(ofKey: "zipf") else { return }
    report(
      place, "`zipf` belongs to what is preferred, and `prefer: any` prefers nothing",
      "remove it, or write `prefer: popular` or `prefer: newest`")
  }
}

extension SourceNode {
  /// Returns the place of a key of the section; `nil` if it is absent.
  func place(ofKey key: String) -> SourcePlace? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.keyPlace
  }
}
