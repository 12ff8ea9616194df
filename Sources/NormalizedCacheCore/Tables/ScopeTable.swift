public import CacheModel
public import EvictionPolicies

@usableFromInline struct LibraryScope: Hashable, Sendable {
  @usableFromInline var library: Int16
  @usableFromInline var scope: QueryScope

  @inlinable init(library: Int16, scope: QueryScope) {
    self.library = library
    self.scope = scope
  }
}

/// The queries of a scope, in the order in which they were added.
@usableFromInline struct ScopeRecord: KeyedRecord, Sendable {
  @usableFromInline var key: LibraryScope
  @usableFromInline var queries: [Int32] = []

  @inlinable init(key: LibraryScope) { self.key = key }

  @inlinable static func hash(_ key: LibraryScope) -> UInt64 {
    let small = UInt64(key.scope.kind) << 16 | UInt64(UInt16(bitPattern: key.library))
    return key.scope.id.mixed(with: small)
  }
}

/// Queries by scope: every event looks up its entity's scopes, and a `Dictionary` would take about 300
/// instructions to hash one.
///
/// Expected O(1).
@usableFromInline struct ScopeTable: ~Copyable {
  @usableFromInline var index = SlotIndex<ScopeRecord>()
  @usableFromInline var records = Column<ScopeRecord>(
    filler: ScopeRecord(key: LibraryScope(library: -1, scope: QueryScope(kind: 0))))
  @usableFromInline var free: [Int32] = []
  @usableFromInline var used: Int32 = 0

  @inlinable init() {}

  @inlinable func queries(in scope: LibraryScope) -> [Int32] {
    guard let place = index.find(scope, in: records) else { return [] }
    return records[place].queries
  }

  @inlinable @inline(__always) func forEachQuery(in scope: LibraryScope, _ body: (Int32) -> Void) {
    guard let place = index.find(scope, in: records) else { return }
    for index in records[place].queries.indices { body(records[place].queries[index]) }
  }

  @inlinable mutating func add(_ query: Int32, to scope: LibraryScope) {
    if let place = index.find(scope, in: records) {
      records[place].queries.append(query)
      return
    }
    let place: Int32
    if let reused = free.popLast() {
      place = reused
    } else {
      place = used
      used += 1
      records.grow(toAtLeast: Int(used))
    }
    records[place] = ScopeRecord(key: scope)
    records[place].queries.append(query)
    index.insert(place, in: records)
  }

  /// - Precondition: the query is in the scope.
  @inlinable mutating func remove(_ query: Int32, from scope: LibraryScope) {
    guard let place = index.find(scope, in: records) else {
      preconditionFailure("query \(query) stands in no such scope")
    }
    records[place].queries.removeAll { $0 == query }
    guard records[place].queries.isEmpty else { return }
    index.remove(place, in: records)
    free.append(place)
  }
}

/// A record of a table, found by its own key.
@usableFromInline protocol KeyedRecord {
  associatedtype Key: Equatable
  var key: Key { get }
  /// 64 well-mixed bits of a key.
  static func hash(_ key: Key) -> UInt64
}

/// Finds a record's slot by its key, such as an entity's: linear hashing over slots alone.
///
/// The keys stay in the table's records, so an entry costs 8 bytes, compared with about 46 for a `Dictionary`
/// from key to slot. The table grows by one bucket per insertion, so no insertion pays for doubling the
/// table. Buckets are chains through the slots; expected O(1). Its order never affects a result.
///
/// Source: Litwin, "Linear Hashing: A New Tool for File and Table Addressing", VLDB 1980.
@usableFromInline struct SlotIndex<Record: KeyedRecord>: ~Copyable {
  /// The first slot of each bucket, or ``none``.
  @usableFromInline var first = Column<Slot>(filler: -1)
  /// The slot after each in its bucket, or ``none``.
  @usableFromInline var next = Column<Slot>(filler: -1)
  /// All buckets below this power of two exist; of twice as many, those up to `bucketCount`.
  @usableFromInline var half = 16
  @usableFromInline var bucketCount = 16
  @usableFromInline var count = 0

  @inlinable static var none: Slot { -1 }

  @inlinable init() { first.grow(toAtLeast: bucketCount) }

  @inlinable func find(_ key: Record.Key, in records: borrowing Column<Record>) -> Slot? {
    var slot = first[bucket(of: key)]
    while slot != Self.none {
      if records[slot].key == key { return slot }
      slot = next[slot]
    }
    return nil
  }

  /// Returns the first slot of a key's bucket, or ``none``: where ``find(_:in:)`` begins.
  @inlinable func firstCandidate(of key: Record.Key) -> Slot { first[bucket(of: key)] }

  /// Adds a slot whose record already has its key.
  ///
  /// - Precondition: no slot of that key is in the index.
  @inlinable mutating func insert(_ slot: Slot, in records: borrowing Column<Record>) {
    if count == bucketCount { split(records) }
    next.grow(toAtLeast: Int(slot) + 1)
    let bucket = bucket(of: records[slot].key)
    next[slot] = first[bucket]
    first[bucket] = slot
    count += 1
  }

  /// Removes a slot while its key is still in its record.
  ///
  /// - Precondition: the slot is in the index.
  @inlinable mutating func remove(_ slot: Slot, in records: borrowing Column<Record>) {
    let bucket = bucket(of: records[slot].key)
    count -= 1
    if first[bucket] == slot {
      first[bucket] = next[slot]
      return
    }
    var before = first[bucket]
    while before != Self.none, next[before] != slot { before = next[before] }
    precondition(before != Self.none, "slot \(slot) is not in the index")
    next[before] = next[slot]
  }

  @inlinable @inline(__always) func bucket(of key: Record.Key) -> Int {
    let hash = Int(truncatingIfNeeded: Record.hash(key))
    let bucket = hash & (half * 2 - 1)
    return bucket < bucketCount ? bucket : hash & (half - 1)
  }

  /// Adds a bucket, and redistributes the slots of the one that it splits.
  @inlinable mutating func split(_ records: borrowing Column<Record>) {
    let parent = bucketCount - half
    var slot = first[parent]
    first.grow(toAtLeast: bucketCount + 1)
    first[parent] = Self.none
    bucketCount += 1
    while slot != Self.none {
      let following = next[slot]
      let bucket = bucket(of: records[slot].key)
      next[slot] = first[bucket]
      first[bucket] = slot
      slot = following
    }
    if bucketCount == half * 2 { half *= 2 }
  }
}

extension UniqueID {
  /// Mixes 64 bits with others of the same key.
  ///
  /// The first half is mixed before the second is added: a weighted sum of the two would be the same for all
  /// identifiers of an app that derives one half from the other by the same weight.
  @inlinable func mixed(with other: UInt64) -> UInt64 {
    var mixed = high ^ other
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    mixed = (mixed ^ (mixed >> 32) ^ low) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }
}
