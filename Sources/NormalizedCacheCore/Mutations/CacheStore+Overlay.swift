public import CacheModel
public import EvictionPolicies

/// What an entity shows: its confirmed value with the pending edits on top.
@usableFromInline enum ShownValue<Payload: Sendable>: Sendable {
  /// The cache has no value to show.
  case missing
  /// It is deleted, perhaps not yet by the server.
  case gone
  case value(Payload)
}

/// A row as it is shown.
@usableFromInline struct ShownRow<Payload: Sendable>: Sendable {
  @usableFromInline var key: EntityKey
  /// The version of the confirmed value; none for what is only created here.
  @usableFromInline var version: Version
  @usableFromInline var payload: Payload?

  @inlinable init(key: EntityKey, version: Version, payload: Payload?) {
    self.key = key
    self.version = version
    self.payload = payload
  }

  @inlinable var entity: VersionedEntity<Payload>? {
    payload.map { VersionedEntity(key: key, version: version, payload: $0) }
  }
}

/// The overlay as it is seen: computed from the confirmed state and the pending edits when somebody
/// looks.
///
/// The confirmed rows are never touched, so that taking a mutation back restores every position in
/// every kind of list, whatever the order of commits and rollbacks. A window that has more rows
/// behind it is known up to its last confirmed row: what would stand behind that does not enter, and
/// a member that would move there keeps its place. Beside rows without a value see
/// `CacheStore+ShownPlaces.swift`.
extension CacheStore {
  /// An entity's value with its pending edits on top, in order.
  ///
  /// A creation shows only until the confirmed state has the entity itself; an update shows nothing
  /// where there is nothing to update.
  @inlinable func replay(
    _ edits: [ClientMutation<Payload, Schema.Change>.Edit], on confirmed: Payload?
  ) -> ShownValue<Payload> {
    let edits = planted(.overlayOutOfOrder) ? edits.reversed() : edits
    var shown = confirmed.map { ShownValue.value($0) } ?? .missing
    for edit in edits {
      switch (edit, shown) {
      case (.create(_, let payload), .missing), (.create(_, let payload), .gone):
        shown = .value(payload)
      case (.update(_, let change), .value(let payload)):
        shown = .value(schema.applying(change, to: payload))
      case (.delete, _):
        shown = .gone
      case (.create, .value), (.update, .missing), (.update, .gone):
        break
      }
    }
    return shown
  }

  @inlinable func confirmedPayload(of key: EntityKey) -> Payload? {
    entities.slot(of: key).flatMap { entities.payload(of: $0) }
  }

  /// What one entity shows; O(pending edits) where it has any.
  @inlinable func shownValue(of key: EntityKey) -> ShownValue<Payload> {
    replay(pending.edits(of: key), on: confirmedPayload(of: key))
  }

  /// An entity as it is shown, over its value here or, where it is not resident, in an answer.
  ///
  /// - Parameters:
  ///   - key: the entity.
  ///   - answered: what an answer says of it.
  ///   - needsWhole: whether a summary is as good as nothing.
  /// - Returns: the entity; `nil` where it shows nothing.
  @inlinable func shownEntity(
    _ key: EntityKey, over answered: VersionedEntity<Payload>? = nil, needsWhole: Bool = false
  ) -> VersionedEntity<Payload>? {
    let slot = entities.slot(of: key)
    let resident = slot.flatMap { needsWhole ? wholePayload(of: $0) : entities.payload(of: $0) }
    guard
      case .value(let payload) = replay(pending.edits(of: key), on: resident ?? answered?.payload)
    else { return nil }
    let version = resident == nil ? answered?.version : slot.map { entities[$0].version }
    return VersionedEntity(key: key, version: version ?? .none, payload: payload)
  }

  /// Reads an entity that has pending edits.
  ///
  /// What its confirmed value lacks is fetched, unless the edits alone say what to show.
  @inlinable mutating func readEdited(
    _ key: EntityKey, library: LibraryID
  ) -> EntityRead<Payload> {
    let shown = shownEntity(key, needsWhole: true)
    if entities.slot(of: key).flatMap({ wholePayload(of: $0) }) == nil {
      if let shown { return EntityRead(outcome: .hit, entity: shown) }
      if case .gone = shownValue(of: key) { return EntityRead(outcome: .hit) }
    }
    var read = readConfirmed(key, library: library)
    read.entity = shown
    return read
  }

  /// What those get who waited for a fetch while mutations are pending: the confirmed rows, the
  /// answer's where the cache is too small to hold them, with the pending edits on top.
  @inlinable func shownRows(
    of target: FetchTarget, answeredBy response: FetchResponse<Payload>
  ) -> [VersionedEntity<Payload>] {
    let confirmed = confirmedRows(of: target, answeredBy: response)
    guard case .query(let key) = target else {
      return confirmed.compactMap { shownEntity($0.key, over: $0, needsWhole: true) }
    }
    let rows = confirmed.map { Row(key: $0.key, version: $0.version, payload: $0.payload) }
    let query = queries.index(of: key).flatMap { queries[$0].hasResult ? $0 : nil }
    let plan = schema.plan(for: key)
    let list = List(
      plan: plan, library: libraries.knownIndex(of: key.library) ?? -1,
      isSorted: query.map { queries[$0].isSorted } ?? isSorted(confirmed, by: plan.predicate),
      hasMore: query.map { queries[$0].hasMore } ?? response.hasMore)
    return overlaid(rows, in: list).compactMap(\.entity)
  }
}
