package import CacheModel

/// What an app keeps, which lists of it the app asks for, and what changes it.
///
/// Types and shapes are known by number: the first type is resource type 1, the first shape query method
/// 1.
package struct DataModel: Hashable, Sendable {
  package var types: [EntityType]
  package var shapes: [QueryShape]
  package var operations: [OperationDeclaration] = []

  /// No app needs more, and each type and each shape has one bit of a word.
  package static let maximumTypes = 60
  package static let maximumShapes = 60
  package static let maximumFields = 30
  package static let maximumOperations = 60

  package init(
    types: [EntityType], shapes: [QueryShape], operations: [OperationDeclaration] = []
  ) {
    self.types = types
    self.shapes = shapes
    self.operations = operations
  }

  /// The shape of a query; a key of a cache may name one that the model has not.
  package func shape(of kind: QueryKind) -> QueryShape? {
    let place = Int(kind.rawValue) - 1
    return shapes.indices.contains(place) ? shapes[place] : nil
  }

  /// The kind of query of the shape at a place.
  package static func kind(ofShape place: Int) -> QueryKind {
    QueryKind(number: UInt16(place + 1))
  }

  package static func resourceType(ofType place: Int) -> ResourceType {
    ResourceType(rawValue: UInt16(place + 1))
  }

  /// The classes under which reports add up reads, each once, in the order of the shapes.
  package var classes: [String] {
    shapes.reduce(into: []) { classes, shape in
      if !classes.contains(shape.reportClass) { classes.append(shape.reportClass) }
    }
  }

  /// Whether any query shows summaries.
  package var hasSummaries: Bool { shapes.contains(where: \.showsSummaries) }

  /// Whether a query shows summaries; `false` for a kind that the model has not.
  package func showsSummaries(_ kind: QueryKind) -> Bool {
    shape(of: kind)?.showsSummaries ?? false
  }

  /// Whether a cache keeps the answer of a query.
  package func isCacheable(_ spec: QuerySpec) -> Bool {
    guard let shape = shape(of: spec.kind), shape.typedField != nil else { return true }
    return Int(spec.prefixLength) >= shape.cachedFrom
  }

  /// Whether entities of a type go with others of it.
  func ownsItself(_ type: Int) -> Bool {
    types[type].fields.contains {
      if case .one(type, _, true) = $0.content { true } else { false }
    }
  }

  /// The field that says where in a tree an entity of a type lies; `nil` if it lies in none.
  func placeField(ofType place: Int) -> Int? {
    if let own = types[place].fields.firstIndex(where: { $0.tree != nil }) { return own }
    for field in types.lazy.flatMap(\.fields) where field.target == place {
      if let tree = field.tree { return tree.link }
    }
    return nil
  }

  /// How many words a state of a type takes in `Catalog.values`.
  package func width(ofType place: Int) -> Int {
    types[place].fields.reduce(0) { max($0, $1.slot + 1) }
  }
}

extension DataModel {
  /// Gives each field its place among the words of a state.
  ///
  /// Fields of one name have one slot in all types, so that a list of several types reads one.
  package static func setSlots(of types: inout [EntityType]) {
    var slots: [(name: String, slot: Int)] = []
    for type in types.indices {
      for field in types[type].fields.indices {
        let name = types[type].fields[field].name
        if slots.contains(where: { $0.name == name }) { continue }
        let company = types.filter { $0.field(named: name) != nil }.flatMap(\.fields).map(\.name)
        var slot = 0
        while slots.contains(where: { $0.slot == slot && company.contains($0.name) }) { slot += 1 }
        slots.append((name, slot))
      }
    }
    for type in types.indices {
      for field in types[type].fields.indices {
        let name = types[type].fields[field].name
        if let slot = slots.first(where: { $0.name == name })?.slot {
          types[type].fields[field].slot = slot
        }
      }
    }
  }

  /// The words of a state of a type in which nothing is set.
  package func blankWords(ofType place: Int) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: width(ofType: place))
    for field in types[place].fields {
      let slot = field.slot
      switch field.content {
      case .one: words[slot] = UInt64(Revision.noObject)
      case .integer, .time: words[slot] = OrderedWord.of(0)
      case .text, .flag, .many: break
      }
    }
    return words
  }
}

/// A type of entity: its fields, how many there are when a run begins, and how large each is.
package struct EntityType: Hashable, Sendable {
  package var name: String
  /// When the run begins; of a type that a tree makes as it is needed, 0.
  package var count: Int
  /// As compact JSON.
  package var size: SizeDistribution
  package var fields: [ModelField]
  /// What lists may show of it instead of the whole; `nil`: nothing.
  package var summary: EntitySummary?

  package init(name: String, count: Int, size: SizeDistribution, fields: [ModelField]) {
    self.name = name
    self.count = count
    self.size = size
    self.fields = fields
  }

  package func field(named name: String) -> ModelField? { fields.first { $0.name == name } }
}

/// A field of a type of entity.
package struct ModelField: Hashable, Sendable {
  package var name: String
  package var content: Content
  /// Its place among the words of a state (`Catalog.values`).
  package var slot: Int
  /// What an integer of a new entity begins with, or how long a list of references is on average; `nil`: as
  /// at the beginning.
  package var starts: ClosedRange<Int64>?
  /// How the entities that a reference leads to hang together; `nil`: each is there by itself.
  package var tree: Tree?
  /// Whether it says where something lies in a tree below another type: what lies there by it has the
  /// location of the place.
  package var isPlaceBelow = false

  package init(name: String, content: Content, slot: Int = 0) {
    self.name = name
    self.content = content
    self.slot = slot
  }

  /// A tree of entities of the type that a reference leads to, which refer to each other by one field.
  ///
  /// None of them is counted: each is made when an entity that lies in it needs it.
  package struct Tree: Hashable, Sendable {
    package var depth: Int
    package var fanOut: Int
    /// The type among whose entities the first level is divided; `nil`: it is not.
    package var below: Int?
    /// The field by which one refers to the one that it lies in.
    package var link = 0

    /// How many a full one has.
    var places: Double {
      (1...depth).reduce((level: 1.0, sum: 0.0)) { places, _ in
        let level = places.level * Double(fanOut)
        return (level, places.sum + level)
      }.sum
    }

    /// How many are made for this many entities, on average.
    ///
    /// One on level l is made unless none of the entities comes by: each does with the chance that it goes as
    /// deep, one of fan-out to the power of l times.
    package func expectedCount(for entities: Int) -> Double {
      var width = 1.0
      return (1...depth).reduce(0) { sum, level in
        width *= Double(fanOut)
        let chance = Double(depth - level + 1) / Double(depth) / width
        return sum + width * (1 - PortableMath.pow(1 - chance, Double(entities)))
      }
    }
  }

  /// Its kind, and how its values are drawn.
  package enum Content: Hashable, Sendable {
    /// A whole number, drawn between two bounds, which what is added may leave.
    case integer(ClosedRange<Int64>)
    /// An instant; of what exists at the beginning, so long ago on average.
    case time(meanAge: Duration)
    /// A name of letters.
    case text
    /// Set in this share of the entities.
    case flag(share: Double)
    /// A reference to one entity of a type.
    case one(type: Int, Choice, cascades: Bool)
    /// References to several entities of a type, each once.
    case many(type: Int, Choice, count: Count)
  }

  /// How many references a field begins with.
  package enum Count: Hashable, Sendable {
    /// So many on average, geometrically distributed.
    case mean(Double)
    /// The members of another entity's list when the entity is created: an audience that is fixed then.
    ///
    /// `through` is the field of this type that refers to the other, `list` the other's field.
    case copied(through: Int, list: Int)
  }

  /// The share of entities in which a flag is set; 1 of what is none.
  package var share: Double {
    if case .flag(let share) = content { share } else { 1 }
  }

  package var isList: Bool {
    if case .many = content { true } else { false }
  }

  /// The types that a reference may lead to; `nil` for what is no reference.
  package var target: Int? {
    switch content {
    case .one(let type, _, _), .many(let type, _, _): type
    case .integer, .time, .text, .flag: nil
    }
  }
}

/// Which of many entities is chosen how often.
package enum Choice: Hashable, Sendable {
  case uniform
  /// The k-th most popular, or the k-th newest, in proportion to k to the power of −exponent.
  case zipf(Double)
}

/// The part of an entity that lists show which show no more.
///
/// It has the fields by which lists choose and order their rows besides, though they are not looked at there.
package struct EntitySummary: Hashable, Sendable {
  /// What is seen of it, as places of the type's fields, in their order.
  package var fields: [Int]
  package var size: Size

  package init(fields: [Int], size: Size) {
    self.fields = fields
    self.size = size
  }

  /// As compact JSON.
  package enum Size: Hashable, Sendable {
    case fixed(Int)
    /// A share of the whole's.
    case share(millionths: Int)
  }

  /// The bytes of the summary of an entity of this many bytes: at least one, and no more than the whole.
  package func bytes(ofWhole bytes: Int) -> Int {
    switch size {
    case .fixed(let size): min(size, bytes)
    case .share(let millionths):
      min(max((bytes * millionths + 500_000) / 1_000_000, 1), bytes)
    }
  }
}
