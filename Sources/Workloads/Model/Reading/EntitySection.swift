import Text

/// The data of an app as they are written.
struct DataSection: ScenarioSection {
  var entities: SourceNode?
  var queries: SourceNode?
  var operations: SourceNode?

  static let fields: [Field<DataSection>] = [
    .node("entities", \.entities, "the types of entity", form: .section)
      .required().holding(EntitySection.self, byName: true),
    .node("queries", \.queries, "the lists that people look at", form: .section)
      .required().holding(QuerySection.self, byName: true),
    .node("operations", \.operations, "what changes them", form: .section)
      .holding(OperationSection.self, byName: true),
  ]
}

/// A type of entity as it is written.
struct EntitySection: ScenarioSection {
  var count: SourceNode?
  var size: SourceNode?
  var has: SourceNode?
  var summary: SourceNode?

  static let fields: [Field<EntitySection>] = [
    .node(
      "count", \.count, "how many there are when the run begins; of a tree, as many as it needs",
      form: .quantity(.count(""), 0...1_000_000)),
    .node("size", \.size, "bytes of one as JSON: a size, or a distribution")
      .required().holding(SizeSection.self),
    .node("has", \.has, "its fields by name", form: .section)
      .holding(FieldSection.self, byName: true),
    .node(
      "summary", \.summary, "the part of it that lists with `shows: summary` show", form: .section),
  ]
}

/// A field of a type as it is written at length.
struct FieldSection: ScenarioSection {
  var one: SourceNode?
  var many: SourceNode?
  var integer: SourceNode?
  var time: SourceNode?
  var flag: SourceNode?
  var mean: SourceNode?
  var zipf: Double?
  var owner = false
  var from: SourceNode?
  var starts: SourceNode?
  var tree: SourceNode?

  static let fields: [Field<FieldSection>] = [
    .node("one", \.one, "refers to one entity of this type"),
    .node("many", \.many, "refers to several entities of this type"),
    .node("integer", \.integer, "a whole number between two bounds: `1..100`"),
    .node("time", \.time, "an instant; the mean age of those that exist at the beginning"),
    .node("flag", \.flag, "the share of entities that have it set"),
    .node("mean", \.mean, "mean number of references, counted as the type: `6 users`"),
    .real("zipf", .number, \.zipf, 0.01...4, "exponent of the popularity of what is referred to"),
    .flag("owner", \.owner, "whether the entity goes when what it refers to is deleted"),
    .node("from", \.from, "another list, copied at creation: `author.followers`"),
    .node("starts", \.starts, "what the integer of a new entity is, or `0` for an empty list"),
    .node("tree", \.tree, "how what is referred to hangs together", form: .section)
      .holding(TreeSection.self),
  ]

  /// Which kinds of field the other keys belong to.
  static let qualifiers = [
    Qualifier("mean", of: ["many"]), Qualifier("zipf", of: ["one", "many"]),
    Qualifier("owner", of: ["one"]), Qualifier("from", of: ["many"]),
    Qualifier("starts", of: ["integer", "many"]), Qualifier("tree", of: ["one"]),
  ]

  /// The keys that say what the field holds, as far as they are given.
  var kinds: [(name: String, node: SourceNode)] {
    [
      ("one", one), ("many", many), ("integer", integer), ("time", time), ("flag", flag),
    ].compactMap { pair in pair.1.map { (pair.0, $0) } }
  }
}

/// A tree of the entities that a field refers to, as it is written.
struct TreeSection: ScenarioSection {
  var depth: SourceNode?
  var fanOut: SourceNode?
  var below: SourceNode?

  static let fields: [Field<TreeSection>] = [
    .node("depth", \.depth, "levels; the depth of an entity is uniform over them").required(),
    .node("fan-out", \.fanOut, "how many lie in each, at most").required(),
    .node("below", \.below, "the type among whose entities the first level is divided"),
  ]
}

extension ModelReader {
  /// Reads the trees, when all fields are known.
  mutating func readTrees(_ reader: inout ScenarioReader) {
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
  }

  /// Reports the counts of what trees make.
  func checkCounts(_ counts: [SourceNode?], _ reader: inout ScenarioReader) {
    for (type, node) in counts.enumerated() where treeTypes.contains(type) {
      guard let node else { continue }
      reader.report(
        node.place, "as many `\(types[type].name)` are made as their tree needs",
        "remove `count`, or the `tree`")
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
      reader.report(
        node.place,
        links.isEmpty
          ? "no `\(name)` refers to another, so that they make no tree"
          : "`\(name)` refers to itself by \(links.count) fields",
        "give it one field such as `parent: {one: \(name), owner: yes}`")
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
