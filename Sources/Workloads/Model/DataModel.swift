package import CacheModel

/// What an app keeps, which lists of it the app asks for, and what changes it.
///
/// Types and shapes are known by number: the first type is resource type 1, the first shape query method
/// 1.
package struct DataModel: Hashable, Sendable {
  package var types: [EntityType]
  package var shapes: [QueryShape]
  package var operations: [OperationDeclaration] = []

  /// More than these no app needs, and a bit of a word stands for each type and each shape.
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

  /// The kind of query that a shape's place stands for.
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

  /// The field that says where in a tree an entity of a type lies; `nil` where it lies in none.
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
