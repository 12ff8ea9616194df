public import CacheModel

/// What queries show while mutations are pending, as far as it must be remembered.
///
/// While nothing is pending it is empty, and costs the test of one flag.
@usableFromInline struct ShownRows<Payload: Sendable, Change: Sendable>: Sendable {
  /// Whether what queries show may differ from their confirmed rows in this commit.
  @usableFromInline var isWatched = false
  /// What observed queries showed before this commit, as far as it may have changed.
  @usableFromInline var before: [Int32: Before] = [:]
  /// The queries among them that showed what they would show now under the former edits.
  @usableFromInline var deferred: [Int32] = []
  /// What edits entities had before this commit, as long as it has changed nothing else.
  @usableFromInline var former: [EditedEntities<Payload, Change>.Exchange] = []
  /// Whether this commit does no more than confirm one entity.
  @usableFromInline var confirmsOneEntity = false
  /// Where pending rows stand beside rows that lost their values, by query.
  @usableFromInline var places: [Int32: ShownPlaces<Payload>] = [:]
  /// Grows with each change of what pending edits show.
  @usableFromInline var revision: UInt64 = 0

  @inlinable init() {}

  @usableFromInline enum Before: Sendable {
    case rows([ShownRow<Payload>])
    /// Not looked for yet.
    case underFormerEdits
    /// What it shows now, but for one entity, which appeared so.
    case entity(EntityKey, ShownAppearance<Payload>)
  }

  /// Notes what edits entities had; what was noted first stays.
  @inlinable mutating func note(_ edits: [EditedEntities<Payload, Change>.Exchange]) {
    for entity in edits where !former.contains(where: { $0.key == entity.key }) {
      former.append(entity)
    }
  }

  /// What a query showed can be looked for at any time before the former edits are forgotten.
  @inlinable mutating func `defer`(_ query: Int32) {
    before[query] = .underFormerEdits
    deferred.append(query)
  }

  /// The tables change, so that former edits say no longer what was shown.
  @inlinable mutating func forgetFormerEdits() {
    deferred.removeAll(keepingCapacity: true)
    former.removeAll(keepingCapacity: true)
  }

  /// What pending edits show changes.
  @inlinable mutating func didChange() {
    isWatched = true
    revision += 1
  }

  /// Ends a commit's comparisons.
  @inlinable mutating func endCommit(showsConfirmed: Bool) {
    before.removeAll(keepingCapacity: true)
    forgetFormerEdits()
    confirmsOneEntity = false
    isWatched = !showsConfirmed
    if showsConfirmed { places.removeAll() }
  }

  /// A row of a query is about to lose its value: it shows otherwise than before.
  @inlinable mutating func forgetAppearance(in query: Int32) {
    if case .entity = before[query] { before[query] = nil }
  }

  // MARK: Places

  /// Whether a query's places are noted as they are.
  @inlinable func hasPinned(_ query: Int32) -> Bool {
    guard let places = places[query] else { return false }
    return places.isPinned && places.revision == revision
  }

  /// A list has changed: the places in it hold no longer of themselves.
  @inlinable mutating func unpin(_ query: Int32) {
    if !places.isEmpty { places[query]?.isPinned = false }
  }

  /// A row leaves its place in a list: what stood behind it stands behind the row before.
  @inlinable mutating func passOn(
    _ query: Int32, behind key: EntityKey, to predecessor: EntityKey?
  ) {
    guard let former = places[query] else { return }
    places[query]?.places = former.places.mapValues { place in
      var place = place
      if place.predecessor == key { place.predecessor = predecessor }
      return place
    }
  }

  /// Notes places under the server's keys.
  @inlinable mutating func rename(_ keys: [EntityKey: EntityKey]) {
    guard !places.isEmpty else { return }
    places = places.mapValues { former in
      var renamed = former
      for name in keys.keys.sorted() {
        guard let key = keys[name], let place = renamed.places.removeValue(forKey: name) else {
          continue
        }
        renamed.places[key] = place
      }
      return renamed
    }
  }
}

/// How an entity shows in a list, wherever it stands.
@usableFromInline enum ShownAppearance<Payload: Sendable>: Sendable {
  case absent
  /// As a row with this value, or without one.
  case row(Payload?)
  /// It hangs on other rows.
  case unknown
}
