public import CacheModel
public import EvictionPolicies

/// What the schema said of changed entities and lists since it was last asked for: for a recording, in which
/// there is no schema.
///
/// An entity of which nothing is noted stands in the lists in which it stood, where it stood.
@usableFromInline package struct NotedPlaces: Sendable {
  /// Whether any are noted.
  @usableFromInline package var isOn = false
  @usableFromInline package var places: [NotedPlace] = []
  /// By query: the commit after which its rows were told last.
  @usableFromInline package var toldAfter: [UInt64] = []

  @inlinable init() {}

  /// Whether the rows of a query have been told, and not been touched since.
  @inlinable func isTold(_ query: Int32, touchedIn commit: UInt64) -> Bool {
    Int(query) < toldAfter.count && toldAfter[Int(query)] >= max(commit, 1)
  }

  @inlinable mutating func tell(_ query: Int32, after commit: UInt64) {
    while toldAfter.count <= Int(query) { toldAfter.append(0) }
    toldAfter[Int(query)] = commit
  }
}

/// Whether a state of an entity belongs in a list, and where.
@usableFromInline package struct NotedPlace: Sendable {
  @usableFromInline package var query: QueryKey
  @usableFromInline package var key: EntityKey
  @usableFromInline package var version: Version
  @usableFromInline package var belonging: Belonging
  /// Of the rows that were listed then and had a value, the one before it, and the one behind it.
  @usableFromInline package var after: EntityKey?
  @usableFromInline package var before: EntityKey?

  @inlinable package init(
    query: QueryKey, key: EntityKey, version: Version, belonging: Belonging, after: EntityKey?,
    before: EntityKey?
  ) {
    self.query = query
    self.key = key
    self.version = version
    self.belonging = belonging
    self.after = after
    self.before = before
  }
}

extension CacheStore {
  /// Notes what the schema says of a value and a list.
  ///
  /// O(rows) where the list was corrected and has all values, else O(log rows) comparisons more.
  ///
  /// - Parameters:
  ///   - key: whose value.
  ///   - version: the version of the value.
  ///   - payload: the value.
  ///   - belonging: what the schema said.
  ///   - query: the list.
  ///   - isCorrected: whether the list has been corrected for the value, or has become stale.
  @inlinable mutating func notePlace(
    of key: EntityKey, _ version: Version, _ payload: Payload, _ belonging: Belonging,
    in query: Int32, isCorrected: Bool = false
  ) {
    guard queries[query].isInUse else { return }
    var place = NotedPlace(
      query: queries[query].key, key: key, version: version, belonging: belonging, after: nil,
      before: nil)
    if belonging == .member, !queries[query].isSorted {
      // In a list whose order is not the schema's it has no place.
      place.belonging = .unknown
    } else if belonging == .member, isCorrected, !queries[query].isMarkedStale,
      queries[query].missing == 0
    {
      noteNeighbours(of: key, among: queries[query].members, in: &place)
    } else if belonging == .member {
      var members = queries[query].members
      members.removeAll { entities[$0].key == key || !entities.isResident($0) }
      let index = firstIndex(behind: payload, key, among: members, in: query)
      if index > 0 { place.after = entities.key(of: members[index - 1]) }
      if index < members.count { place.before = entities.key(of: members[index]) }
    }
    notedPlaces.places.append(place)
  }

  @inlinable mutating func notePlace(
    of entity: VersionedEntity<Payload>, _ belonging: Belonging, in query: Int32,
    isCorrected: Bool = false
  ) {
    notePlace(
      of: entity.key, entity.version, entity.payload, belonging, in: query,
      isCorrected: isCorrected)
  }

  /// The rows beside an entity where it stands; that it is not listed says that it comes after all.
  @inlinable func noteNeighbours(
    of key: EntityKey, among members: [Slot], in place: inout NotedPlace
  ) {
    let index = entities.slot(of: key).flatMap { members.firstIndex(of: $0) } ?? members.count
    if index > 0 { place.after = entities.key(of: members[index - 1]) }
    if index + 1 < members.count { place.before = entities.key(of: members[index + 1]) }
  }

  /// Notes where a value stands that has come back into lists which went on without it.
  @inlinable mutating func notePlaces(
    of entity: VersionedEntity<Payload>, in slot: Slot, but listedBy: Int32?
  ) {
    for query in holders(of: slot) where query != listedBy {
      let belonging = schema.belongs(
        entity.payload, key: entity.key, in: queries[query].plan.predicate)
      notePlace(of: entity, belonging, in: query)
    }
  }

  @inlinable func lists(_ key: EntityKey, inMembersOf query: Int32) -> Bool {
    entities.slot(of: key).map { listing(of: $0, in: query) != nil } ?? false
  }

  /// Where a value belongs among members that all have one, by bisection.
  @inlinable func firstIndex(
    behind payload: Payload, _ key: EntityKey, among members: [Slot], in query: Int32
  ) -> Int {
    let predicate = queries[query].plan.predicate
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      let isBefore = entities.payload(of: members[middle]).map { other in
        schema.precedes(
          other, key: entities.key(of: members[middle]), payload, key: key, in: predicate)
      }
      if isBefore ?? false { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
