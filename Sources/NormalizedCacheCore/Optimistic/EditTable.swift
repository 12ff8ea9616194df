public import CacheModel

/// Pending edits by entity.
///
/// Adding an edit or removing a mutation's edits costs only the edits of the affected entities. A list finds
/// entities that may enter it by its scope.
@usableFromInline struct EditTable<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline typealias Edit = ClientMutation<Payload, Change>.Edit

  /// Entities with edits, in any order, and some that no longer have any.
  @usableFromInline var entities: [EntityEdits<Payload, Change>] = []
  @usableFromInline var indexOfKey: [EntityKey: Int] = [:]
  /// The entities whose values may be in a scope.
  @usableFromInline var keysInScope: [LibraryScope: Set<EntityKey>] = [:]
  @usableFromInline var count = 0

  @inlinable init() {}

  @inlinable subscript(key: EntityKey) -> EntityEdits<Payload, Change>? {
    indexOfKey[key].map { entities[$0] }
  }

  /// The keys of edited entities, in the order of their first edits; O(entities · log entities).
  @inlinable var keys: [EntityKey] {
    entities.filter { !$0.edits.isEmpty }.sorted { ($0.first ?? .none) < ($1.first ?? .none) }
      .map(\.key)
  }

  /// The entities that may enter a list of a scope, in the order of their first edits.
  ///
  /// O(n log n) for n such entities.
  @inlinable func inOrder(in scope: LibraryScope) -> [EntityEdits<Payload, Change>] {
    guard let keys = keysInScope[scope] else { return [] }
    return keys.compactMap { self[$0] }.sorted { ($0.first ?? .none) < ($1.first ?? .none) }
  }

  /// The number of entities that may enter a list of a scope.
  @inlinable func count(in scope: LibraryScope) -> Int { keysInScope[scope]?.count ?? 0 }

  @inlinable mutating func add(_ edits: [Edit], of mutation: UInt64, library: Int16) {
    count += edits.count
    for (index, edit) in edits.enumerated() {
      let position = EditPosition(mutation: mutation, index: index)
      if let known = indexOfKey[edit.key] {
        entities[known].edits.append(edit)
        entities[known].positions.append(position)
      } else {
        insert(EntityEdits(key: edit.key, library: library, edits: [edit], positions: [position]))
      }
    }
  }

  @inlinable mutating func remove(_ edits: [Edit], of mutation: UInt64) {
    count -= edits.count
    var ended = Set<EntityKey>()
    for edit in edits where ended.insert(edit.key).inserted {
      guard let index = indexOfKey[edit.key] else { continue }
      entities[index].removeEdits(of: mutation)
      if entities[index].edits.isEmpty { forget(edit.key) }
    }
  }

  /// One entity's edits, or none, to exchange with its current ones.
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
    count += (other.edits?.edits.count ?? 0) - (former?.edits.count ?? 0)
    if let edits = other.edits {
      if let index = indexOfKey[other.key] {
        setScopes([], of: other.key)
        entities[index] = edits
        enterScopes(edits.scopes, edits)
      } else {
        insert(edits)
      }
    } else if let index = indexOfKey[other.key] {
      entities[index].removeAll()
      forget(other.key)
    }
    other.edits = former
  }

  @inlinable mutating func insert(_ entity: EntityEdits<Payload, Change>) {
    indexOfKey[entity.key] = entities.count
    entities.append(entity)
    enterScopes(entity.scopes, entity)
  }

  @inlinable mutating func forget(_ key: EntityKey) {
    setScopes([], of: key)
    indexOfKey[key] = nil
    guard entities.count > 2 * indexOfKey.count + 16 else { return }
    entities.removeAll { $0.edits.isEmpty }
    for index in entities.indices { indexOfKey[entities[index].key] = index }
  }

  // MARK: Scopes

  /// Sets the scopes of an entity's value; no effect if it has no edits.
  @inlinable mutating func setScopes(_ scopes: [QueryScope], of key: EntityKey) {
    guard let index = indexOfKey[key], entities[index].scopes != scopes else { return }
    for scope in entities[index].scopes {
      let scope = LibraryScope(library: entities[index].library, scope: scope)
      keysInScope[scope]?.remove(key)
      if keysInScope[scope]?.isEmpty ?? false { keysInScope[scope] = nil }
    }
    entities[index].scopes = scopes
    enterScopes(scopes, entities[index])
  }

  /// Adds scopes to those of an entity's value.
  @inlinable mutating func addScopes(_ scopes: [QueryScope], of key: EntityKey) {
    guard let index = indexOfKey[key] else { return }
    let new = scopes.filter { !entities[index].scopes.contains($0) }
    guard !new.isEmpty else { return }
    entities[index].scopes += new
    enterScopes(new, entities[index])
  }

  @inlinable mutating func enterScopes(
    _ scopes: [QueryScope], _ entity: EntityEdits<Payload, Change>
  ) {
    for scope in scopes {
      keysInScope[LibraryScope(library: entity.library, scope: scope), default: []]
        .insert(entity.key)
    }
  }

  /// - Throws: if the index by scope does not match the entities; O(entities), for tests.
  @inlinable func checkScopes() throws(InvariantFailure) {
    for key in keys {
      guard let entity = self[key] else {
        throw InvariantFailure("edited entity \(key) is not found by its key")
      }
      for scope in entity.scopes {
        try demand(
          keysInScope[LibraryScope(library: entity.library, scope: scope)]?
            .contains(key) ?? false,
          "edited entity \(key) is not found by its scope \(scope)")
      }
    }
    try demand(
      keysInScope.allSatisfy { scope, keys in
        !keys.isEmpty && keys.allSatisfy { self[$0]?.scopes.contains(scope.scope) ?? false }
      }, "a scope names an entity that has no edits")
  }
}

@usableFromInline struct EntityEdits<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline var key: EntityKey
  @usableFromInline var library: Int16
  /// The edits in order.
  @usableFromInline var edits: [ClientMutation<Payload, Change>.Edit]
  @usableFromInline var positions: [EditPosition]
  /// The scopes of its visible value, and perhaps others.
  @usableFromInline var scopes: [QueryScope] = []

  @inlinable init(
    key: EntityKey, library: Int16, edits: [ClientMutation<Payload, Change>.Edit],
    positions: [EditPosition]
  ) {
    self.key = key
    self.library = library
    self.edits = edits
    self.positions = positions
  }

  @inlinable var first: EditPosition? { positions.first }

  @inlinable mutating func removeEdits(of mutation: UInt64) {
    let left = positions.indices.filter { positions[$0].mutation != mutation }
    edits = left.map { edits[$0] }
    positions = left.map { positions[$0] }
  }

  @inlinable mutating func removeAll() {
    edits = []
    positions = []
  }
}

/// The position of an edit among all pending ones: by mutation, then by index in it.
@usableFromInline struct EditPosition: Comparable, Sendable {
  @usableFromInline var mutation: UInt64
  @usableFromInline var index: Int

  @inlinable init(mutation: UInt64, index: Int) {
    self.mutation = mutation
    self.index = index
  }

  @inlinable static var none: EditPosition { EditPosition(mutation: 0, index: 0) }

  @inlinable static func < (lhs: EditPosition, rhs: EditPosition) -> Bool {
    (lhs.mutation, lhs.index) < (rhs.mutation, rhs.index)
  }
}
