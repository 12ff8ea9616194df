import CacheModel
import Text

/// A type of entity as it is written.
struct EntitySection: ScenarioSection {
  var count: SourceNode?
  var size: SourceNode?
  var has: SourceNode?
  var summary: SourceNode?

  static let fields: [Field<EntitySection>] = [
    .node(
      "count", \.count, "how many when the run begins; none of what a tree makes",
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

/// A field of a type as it is written at length.
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
    .real("zipf", .number, \.zipf, 0.01...4, "exponent of the popularity of what is referred to"),
    .flag("cascade", \.cascade, "whether it is deleted with what it refers to"),
    .node(
      "from", \.from, "another list, copied at creation: `author.followers`", form: .named("list")),
    .node(
      "starts", \.starts, "the integer of a new entity, or `0`: its list is empty",
      form: .named("number, or bounds")),
    .node("tree", \.tree, "how what is referred to hangs together", form: .section)
      .holding(TreeSection.self),
  ]

  /// Which kinds of field the other keys belong to.
  static let qualifiers = [
    Qualifier("mean", of: ["many"]), Qualifier("zipf", of: ["one", "many"]),
    Qualifier("cascade", of: ["one"]), Qualifier("from", of: ["many"]),
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
  /// Reads the trees and checks which types are counted, when all fields are known.
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
