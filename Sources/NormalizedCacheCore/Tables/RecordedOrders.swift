public import CacheModel
public import EvictionPolicies

/// The positions computed by the schema for changed entities since the last query of this record: for a
/// recording, which has no schema.
///
/// An entity without an entry keeps its lists and positions.
@usableFromInline package struct RecordedOrders: Sendable {
  /// Whether positions are recorded.
  @usableFromInline package var isOn = false
  @usableFromInline package var positions: [RecordedPosition] = []
  /// The commit after which each query's rows were last sent to the recorder.
  @usableFromInline package var sentAfter: [UInt64] = []

  @inlinable init() {}

  /// Returns whether the rows of a query have been sent, and not been touched since.
  @inlinable func isSent(_ query: Int32, touchedIn commit: UInt64) -> Bool {
    Int(query) < sentAfter.count && sentAfter[Int(query)] >= max(commit, 1)
  }

  @inlinable mutating func markSent(_ query: Int32, after commit: UInt64) {
    while sentAfter.count <= Int(query) { sentAfter.append(0) }
    sentAfter[Int(query)] = commit
  }
}

/// Whether a state of an entity belongs in a list, and at which position.
@usableFromInline package struct RecordedPosition: Sendable {
  @usableFromInline package var query: QueryKey
  @usableFromInline package var key: EntityKey
  @usableFromInline package var version: Version
  @usableFromInline package var match: MatchResult
  /// The previous and the next row, of those listed at the time with a value.
  @usableFromInline package var after: EntityKey?
  @usableFromInline package var before: EntityKey?

  @inlinable package init(
    query: QueryKey, key: EntityKey, version: Version, match: MatchResult, after: EntityKey?,
    before: EntityKey?
  ) {
    self.query = query
    self.key = key
    self.version = version
    self.match = match
    self.after = after
    self.before = before
  }
}

extension CacheStore {
  /// Records the schema's result for a value and a list.
  ///
  /// O(rows) if the list was corrected and has all values, otherwise O(log rows) further comparisons.
  @inlinable mutating func recordPosition(
    of key: EntityKey, _ version: Version, _ payload: Payload, _ match: MatchResult,
    in query: Int32, isCorrected: Bool = false
  ) {
    guard queries[query].isInUse else { return }
    var position = RecordedPosition(
      query: queries[query].key, key: key, version: version, match: match, after: nil,
      before: nil)
    if match == .member, !queries[query].isSorted {
      // A list that is not in the schema's order has no position for it.
      position.match = .unknown
    } else if match == .member, isCorrected, !queries[query].isMarkedStale,
      queries[query].missing == 0
    {
      noteNeighbours(of: key, among: queries[query].members, in: &position)
    } else if match == .member {
      var members = queries[query].members
      members.removeAll { entities[$0].key == key || !entities.isResident($0) }
      let index = firstIndex(behind: payload, key, among: members, in: query)
      if index > 0 { position.after = entities.key(of: members[index - 1]) }
      if index < members.count { position.before = entities.key(of: members[index]) }
    }
    recordedOrders.positions.append(position)
  }

  @inlinable mutating func recordPosition(
    of entity: VersionedEntity<Payload>, _ match: MatchResult, in query: Int32,
    isCorrected: Bool = false
  ) {
    recordPosition(
      of: entity.key, entity.version, entity.payload, match, in: query,
      isCorrected: isCorrected)
  }

  /// Records the rows adjacent to an entity; an entity that is not listed comes after all.
  @inlinable func noteNeighbours(
    of key: EntityKey, among members: [Slot], in position: inout RecordedPosition
  ) {
    let index = entities.slot(of: key).flatMap { members.firstIndex(of: $0) } ?? members.count
    if index > 0 { position.after = entities.key(of: members[index - 1]) }
    if index + 1 < members.count { position.before = entities.key(of: members[index + 1]) }
  }

  /// Records the position of a value that has returned to lists which continued without it.
  @inlinable mutating func recordPositions(
    of entity: VersionedEntity<Payload>, in slot: Slot, but listedBy: Int32?
  ) {
    for query in holders(of: slot) where query != listedBy {
      let match = schema.belongs(entity.payload, key: entity.key, in: queries[query].plan.predicate)
      recordPosition(of: entity, match, in: query)
    }
  }

  @inlinable func lists(_ key: EntityKey, inMembersOf query: Int32) -> Bool {
    entities.slot(of: key).map { listing(of: $0, in: query) != nil } ?? false
  }

  /// Finds the position of a value among members that all have one, by bisection.
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

@usableFromInline package struct RecordedRow: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline package var key: EntityKey
  @usableFromInline package var version: Version
  /// The weight by the schema, in bytes.
  @usableFromInline package var bytes: Int

  @inlinable package init(key: EntityKey, version: Version, bytes: Int) {
    self.key = key
    self.version = version
    self.bytes = bytes
  }
}

/// Lists as a recorder receives them.
extension CacheStore {
  /// Returns a query's confirmed rows, unless they were sent and are unchanged since; `nil` also without a
  /// result, or if a value is missing.
  @inlinable package mutating func rowsToRecord(of key: QueryKey) -> [RecordedRow]? {
    guard let query = queries.index(of: key), queries[query].hasResult,
      queries[query].missing == 0,
      !recordedOrders.isSent(query, touchedIn: queries[query].touchedInCommit)
    else { return nil }
    recordedOrders.markSent(query, after: current.number)
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

  /// Makes the next read of a query send its rows again: those sent last may be outdated.
  @inlinable package mutating func markUnsent(_ key: QueryKey) {
    guard let query = queries.index(of: key) else { return }
    recordedOrders.markSent(query, after: 0)
  }

  /// Makes the lists of an entity be sent again, if only its version is new.
  @inlinable mutating func markHoldersUnsent(of slot: Slot) {
    var listing = entities[slot].firstListing
    while listing >= 0 {
      recordedOrders.markSent(listings[listing].query, after: 0)
      listing = listings[listing].next
    }
  }
}
