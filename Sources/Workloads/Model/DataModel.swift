package import CacheModel

/// An app's data model: entity types, query shapes, and operations.
///
/// Types and shapes are numbered: the first type is resource type 1, the first shape query method 1.
package struct DataModel: Hashable, Sendable {
  package var types: [EntityType]
  package var shapes: [QueryShape]
  package var operations: [OperationDeclaration] = []

  /// A maximum that suffices for apps, and lets each type and shape have one bit of a word.
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

  /// Returns the shape of a query; `nil` if a cache's key has a kind that the model lacks.
  package func shape(of kind: QueryKind) -> QueryShape? {
    let place = Int(kind.rawValue) - 1
    return shapes.indices.contains(place) ? shapes[place] : nil
  }

  package static func kind(ofShape place: Int) -> QueryKind {
    QueryKind(number: UInt16(place + 1))
  }

  package static func resourceType(ofType place: Int) -> ResourceType {
    ResourceType(rawValue: UInt16(place + 1))
  }

  /// The classes of reads in reports, without duplicates, in the order of the shapes.
  package var classes: [String] {
    shapes.reduce(into: []) { classes, shape in
      if !classes.contains(shape.reportClass) { classes.append(shape.reportClass) }
    }
  }

  package var hasSummaries: Bool { shapes.contains(where: \.showsSummaries) }

  /// Returns whether a query shows summaries; `false` for a kind that the model lacks.
  package func showsSummaries(_ kind: QueryKind) -> Bool {
    shape(of: kind)?.showsSummaries ?? false
  }

  /// Returns whether a query's answer is cached.
  package func isCacheable(_ spec: QuerySpec) -> Bool {
    guard let shape = shape(of: spec.kind), shape.typedField != nil else { return true }
    return Int(spec.prefixLength) >= shape.cachedFrom
  }

  /// Returns whether entities of a type can own others of the same type.
  func ownsItself(_ type: Int) -> Bool {
    types[type].fields.contains {
      if case .one(type, _, true) = $0.content { true } else { false }
    }
  }

  /// Returns the field with the position of a type's entities in a tree; `nil` if there is none.
  func placeField(ofType place: Int) -> Int? {
    if let own = types[place].fields.firstIndex(where: { $0.tree != nil }) { return own }
    for field in types.lazy.flatMap(\.fields) where field.target == place {
      if let tree = field.tree { return tree.link }
    }
    return nil
  }

  /// Returns the number of words of a type's states in `Catalog.values`.
  package func width(ofType place: Int) -> Int {
    types[place].fields.reduce(0) { max($0, $1.slot + 1) }
  }
}

extension DataModel {
  /// Assigns each field its slot among the words of a state.
  ///
  /// Fields with one name have the same slot in all types, for lists of several types.
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

  /// Returns the words of an empty state of a type.
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

/// A type of entity: its fields, initial number, and sizes.
package struct EntityType: Hashable, Sendable {
  package var name: String
  /// The initial number of entities; 0 for a type created by a tree.
  package var count: Int
  /// The sizes as compact JSON.
  package var size: SizeDistribution
  package var fields: [ModelField]
  /// The summary that lists may show instead of the whole; `nil`: none.
  package var summary: EntitySummary?

  package init(name: String, count: Int, size: SizeDistribution, fields: [ModelField]) {
    self.name = name
    self.count = count
    self.size = size
    self.fields = fields
  }

  package func field(named name: String) -> ModelField? { fields.first { $0.name == name } }
}

package struct ModelField: Hashable, Sendable {
  package var name: String
  package var content: Content
  /// Its index among the words of a state (`Catalog.values`).
  package var slot: Int
  /// The initial value of an integer in a new entity, or the mean length of its list of references; `nil`: as
  /// for initial entities.
  package var starts: ClosedRange<Int64>?
  /// The tree of the entities that a reference leads to; `nil`: none.
  package var tree: Tree?
  /// Whether it is a position in a tree below another type: entities there have the location of the position.
  package var isPlaceBelow = false

  package init(name: String, content: Content, slot: Int = 0) {
    self.name = name
    self.content = content
    self.slot = slot
  }

  /// A tree of entities of the reference's type, which refer to each other by one field.
  ///
  /// Their number is not declared: each is created when an entity needs it.
  package struct Tree: Hashable, Sendable {
    package var depth: Int
    package var fanOut: Int
    /// The type whose entities divide the first level; `nil`: none.
    package var below: Int?
    /// The field that refers to the parent.
    package var link = 0

    /// The number of entities of a full tree.
    var places: Double {
      (1...depth).reduce((level: 1.0, sum: 0.0)) { places, _ in
        let level = places.level * Double(fanOut)
        return (level, places.sum + level)
      }.sum
    }

    /// Returns the mean number of tree entities created for this many entities.
    ///
    /// One on level l is created unless no entity passes it: each does with the probability that it is at
    /// least that deep, divided by fan-out to the power of l.
    package func expectedCount(for entities: Int) -> Double {
      var width = 1.0
      return (1...depth).reduce(0) { sum, level in
        width *= Double(fanOut)
        let chance = Double(depth - level + 1) / Double(depth) / width
        return sum + width * (1 - PortableMath.pow(1 - chance, Double(entities)))
      }
    }
  }

  /// The kind of a field, and the distribution of its values.
  package enum Content: Hashable, Sendable {
    /// A whole number, drawn between two bounds, which later additions may exceed.
    case integer(ClosedRange<Int64>)
    /// An instant; for initial entities with this mean age.
    case time(meanAge: Duration)
    /// A name of letters.
    case text
    /// A flag, set in this share of the entities.
    case flag(share: Double)
    /// A reference to one entity of a type.
    case one(type: Int, Choice, cascades: Bool)
    /// References to several entities of a type, without duplicates.
    case many(type: Int, Choice, count: Count)
  }

  /// The initial number of a field's references.
  package enum Count: Hashable, Sendable {
    /// Geometrically distributed with this mean.
    case mean(Double)
    /// The members of another entity's list when the entity is created: an audience that is fixed then.
    ///
    /// `through` is the field of this type that refers to the other, `list` the other's field.
    case copied(through: Int, list: Int)
  }

  /// The share of entities in which a flag is set; 1 for other fields.
  package var share: Double {
    if case .flag(let share) = content { share } else { 1 }
  }

  package var isList: Bool {
    if case .many = content { true } else { false }
  }

  /// The type of a reference; `nil` for other fields.
  package var target: Int? {
    switch content {
    case .one(let type, _, _), .many(let type, _, _): type
    case .integer, .time, .text, .flag: nil
    }
  }
}

/// How one of many entities is chosen.
package enum Choice: Hashable, Sendable {
  case uniform
  /// The k-th most popular, or the k-th newest, in proportion to k to the power of −exponent.
  case zipf(Double)
}

/// The part of an entity for lists that show no more.
///
/// It also contains the fields for membership and order, which are not displayed there.
package struct EntitySummary: Hashable, Sendable {
  /// The displayed fields, as indices of the type's, in their order.
  package var fields: [Int]
  package var size: Size

  package init(fields: [Int], size: Size) {
    self.fields = fields
    self.size = size
  }

  /// The size as compact JSON.
  package enum Size: Hashable, Sendable {
    case fixed(Int)
    /// A share of the whole's size.
    case share(millionths: Int)
  }

  /// Returns the bytes of the summary of an entity of this size: at least one, and no more than the whole.
  package func bytes(ofWhole bytes: Int) -> Int {
    switch size {
    case .fixed(let size): min(size, bytes)
    case .share(let millionths):
      min(max((bytes * millionths + 500_000) / 1_000_000, 1), bytes)
    }
  }
}
