public import CacheModel

/// Pending edits by entity.
///
/// An edit is added, and a mutation's are taken out, at the cost of the edits of the entities in
/// question.
@usableFromInline struct EditedEntities<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline typealias Edit = ClientMutation<Payload, Change>.Edit

  /// Those that have edits, in any order, and some that have none any longer.
  @usableFromInline var entities: [EntityEdits<Payload, Change>] = []
  @usableFromInline var indexOfKey: [EntityKey: Int] = [:]
  /// All edits of all entities.
  @usableFromInline var editCount = 0

  @inlinable init() {}

  @inlinable subscript(key: EntityKey) -> EntityEdits<Payload, Change>? {
    indexOfKey[key].map { entities[$0] }
  }

  /// In the order of their first edits; O(entities), and O(entities · log entities) once earlier
  /// edits have ended before later ones.
  @inlinable var inOrder: [EntityEdits<Payload, Change>] {
    var isOrdered = true
    var ordered: [EntityEdits<Payload, Change>] = []
    ordered.reserveCapacity(indexOfKey.count)
    for entity in entities {
      guard let first = entity.first else { continue }
      if let last = ordered.last?.first, first < last { isOrdered = false }
      ordered.append(entity)
    }
    return isOrdered ? ordered : ordered.sorted { ($0.first ?? .none) < ($1.first ?? .none) }
  }

  @inlinable mutating func add(_ edits: [Edit], of mutation: UInt64, library: Int16) {
    editCount += edits.count
    for (index, edit) in edits.enumerated() {
      let place = EditPlace(mutation: mutation, index: index)
      if let known = indexOfKey[edit.key] {
        entities[known].edits.append(edit)
        entities[known].places.append(place)
      } else {
        insert(EntityEdits(key: edit.key, library: library, edits: [edit], places: [place]))
      }
    }
  }

  @inlinable mutating func remove(_ edits: [Edit], of mutation: UInt64) {
    editCount -= edits.count
    for edit in edits {
      guard let index = indexOfKey[edit.key] else { continue }
      entities[index].removeEdits(of: mutation)
      if entities[index].edits.isEmpty { forget(edit.key) }
    }
  }

  /// One entity's edits, or that it has none, in exchange for what it has.
  @usableFromInline struct Exchange: Sendable {
    @usableFromInline var key: EntityKey
    @usableFromInline var edits: EntityEdits<Payload, Change>?

    @inlinable init(key: EntityKey, edits: EntityEdits<Payload, Change>?) {
      self.key = key
      self.edits = edits
    }
  }

  @inlinable mutating func exchange(_ other: inout Exchange) {
    let former = self[other.key]
    editCount += (other.edits?.edits.count ?? 0) - (former?.edits.count ?? 0)
    if let edits = other.edits {
      if let index = indexOfKey[other.key] { entities[index] = edits } else { insert(edits) }
    } else if let index = indexOfKey[other.key] {
      entities[index].removeAll()
      forget(other.key)
    }
    other.edits = former
  }

  @inlinable mutating func insert(_ entity: EntityEdits<Payload, Change>) {
    indexOfKey[entity.key] = entities.count
    entities.append(entity)
  }

  @inlinable mutating func forget(_ key: EntityKey) {
    indexOfKey[key] = nil
    guard entities.count > 2 * indexOfKey.count + 16 else { return }
    entities.removeAll { $0.edits.isEmpty }
    for index in entities.indices { indexOfKey[entities[index].key] = index }
  }
}

/// The pending edits of one entity.
@usableFromInline struct EntityEdits<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline var key: EntityKey
  @usableFromInline var library: Int16
  /// In order.
  @usableFromInline var edits: [ClientMutation<Payload, Change>.Edit]
  /// Whose each of them is.
  @usableFromInline var places: [EditPlace]

  @inlinable init(
    key: EntityKey, library: Int16, edits: [ClientMutation<Payload, Change>.Edit],
    places: [EditPlace]
  ) {
    self.key = key
    self.library = library
    self.edits = edits
    self.places = places
  }

  @inlinable var first: EditPlace? { places.first }

  @inlinable mutating func removeEdits(of mutation: UInt64) {
    let left = places.indices.filter { places[$0].mutation != mutation }
    edits = left.map { edits[$0] }
    places = left.map { places[$0] }
  }

  @inlinable mutating func removeAll() {
    edits = []
    places = []
  }
}

/// Where an edit stands among all that are pending: by its mutation, and among the edits of that.
@usableFromInline struct EditPlace: Comparable, Sendable {
  @usableFromInline var mutation: UInt64
  @usableFromInline var index: Int

  @inlinable init(mutation: UInt64, index: Int) {
    self.mutation = mutation
    self.index = index
  }

  @inlinable static var none: EditPlace { EditPlace(mutation: 0, index: 0) }

  @inlinable static func < (lhs: EditPlace, rhs: EditPlace) -> Bool {
    (lhs.mutation, lhs.index) < (rhs.mutation, rhs.index)
  }
}
