public import CacheModel
public import EvictionPolicies

/// An entity, as a recording knows it.
@usableFromInline package struct RecordedRow: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline package var key: EntityKey
  @usableFromInline package var version: Version
  /// As the schema weighs.
  @usableFromInline package var bytes: Int

  @inlinable package init(key: EntityKey, version: Version, bytes: Int) {
    self.key = key
    self.version = version
    self.bytes = bytes
  }
}

/// What a recorder is told of lists.
extension CacheStore {
  /// What a query lists as the server confirmed it, unless it was told and nothing has touched it since;
  /// `nil` also where it has no result, or a value is missing.
  @inlinable package mutating func rowsToRecord(of key: QueryKey) -> [RecordedRow]? {
    guard let query = queries.index(of: key), queries[query].hasResult,
      queries[query].missing == 0,
      !notedPlaces.isTold(query, touchedIn: queries[query].touchedInCommit)
    else { return nil }
    notedPlaces.tell(query, after: current.number)
    let members = queries[query].members
    var rows: [RecordedRow] = []
    rows.reserveCapacity(members.count)
    for slot in members {
      rows.append(
        RecordedRow(
          key: entities.key(of: slot), version: entities[slot].version,
          bytes: Int(entities[slot].weight)))
    }
    return rows
  }

  /// Has a query told again with its next read: what was told last of it may not be what it lists.
  @inlinable package mutating func untell(_ key: QueryKey) {
    guard let query = queries.index(of: key) else { return }
    notedPlaces.tell(query, after: 0)
  }

  /// Has the lists that hold an entity told again, whose version alone is another.
  @inlinable mutating func untellHolders(of slot: Slot) {
    var listing = entities[slot].firstListing
    while listing >= 0 {
      notedPlaces.tell(listings[listing].query, after: 0)
      listing = listings[listing].next
    }
  }
}
