/// A type of entity: its fields, how many there are when a run begins, and how large each is.
package struct EntityType: Hashable, Sendable {
  package var name: String
  /// When the run begins.
  package var count: Int
  /// As compact JSON.
  package var size: SizeDistribution
  package var fields: [ModelField]
  /// What lists may show of it in place of the whole; `nil`: nothing.
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
  /// Where a state keeps it.
  package var storage: Storage
  /// What an integer of a new entity begins with; `nil`: any, as at the beginning.
  package var starts: ClosedRange<Int64>?

  package init(name: String, content: Content, storage: Storage) {
    self.name = name
    self.content = content
    self.storage = storage
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
    case one(type: Int, Choice, isOwner: Bool)
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

  /// The types that a reference may lead to; `nil` for what is no reference.
  package var target: Int? {
    switch content {
    case .one(let type, _, _), .many(let type, _, _): type
    case .integer, .time, .text, .flag: nil
    }
  }

  /// Where a state of an entity keeps a field.
  package enum Storage: Hashable, Sendable, BitwiseCopyable {
    /// The columns of ``Revision`` itself, which the library of files has.
    case parent, name, modified, isMedia, labels
    /// A word of `Catalog.values`, by its place among those of the state.
    case value(Int)
  }
}

/// Which of many entities is chosen how often.
package enum Choice: Hashable, Sendable {
  case uniform
  /// The k-th most popular, or the k-th newest, in proportion to k to the power of −exponent.
  case zipf(Double)
}
