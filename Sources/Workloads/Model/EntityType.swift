import CacheModel

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

    /// How many are made for so many entities, on average.
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

  /// What it holds, and how its values are drawn.
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
    /// What another entity's list holds when the entity is created: an audience that is fixed then.
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
