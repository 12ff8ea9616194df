import Text

/// A type of entity as it is written.
struct EntitySection: ScenarioSection {
  var count: SourceNode?
  var size: SourceNode?
  var has: SourceNode?
  var summary: SourceNode?

  static let fields: [Field<EntitySection>] = [
    .node("count", \.count, "how many there are when the run begins").required(),
    .node("size", \.size, "bytes of one as JSON: a size, or a distribution").required(),
    .node("has", \.has, "its fields by name", form: .section),
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
    .node("starts", \.starts, "what the integer of a new entity is: `0`, or between two bounds"),
  ]

  /// Which kinds of field the other keys belong to.
  static let qualifiers = [
    Qualifier("mean", of: ["many"]), Qualifier("zipf", of: ["one", "many"]),
    Qualifier("owner", of: ["one"]), Qualifier("from", of: ["many"]),
    Qualifier("starts", of: ["integer"]),
  ]

  /// The keys that say what the field holds, as far as they are given.
  var kinds: [(name: String, node: SourceNode)] {
    [
      ("one", one), ("many", many), ("integer", integer), ("time", time), ("flag", flag),
    ].compactMap { pair in pair.1.map { (pair.0, $0) } }
  }
}
