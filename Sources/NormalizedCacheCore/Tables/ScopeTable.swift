public import EvictionPolicies

/// A scope of one library.
@usableFromInline struct LibraryScope: Hashable, Sendable {
  @usableFromInline var library: Int16
  @usableFromInline var scope: QueryScope

  @inlinable init(library: Int16, scope: QueryScope) {
    self.library = library
    self.scope = scope
  }
}

/// The queries that stand in a scope, in the order in which they came.
@usableFromInline struct ScopeRecord: KeyedRecord, Sendable {
  @usableFromInline var key: LibraryScope
  @usableFromInline var queries: [Int32] = []

  @inlinable init(key: LibraryScope) {
    self.key = key
  }

  @inlinable static func hash(_ key: LibraryScope) -> UInt64 {
    let small = UInt64(key.scope.kind) << 16 | UInt64(UInt16(bitPattern: key.library))
    return key.scope.id.mixed(with: small)
  }
}

/// Queries by scope: every event asks for the scopes of its entity, and a `Dictionary` would take some
/// 300 instructions to hash one.
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

  @inlinable @inline(__always) func forEachQuery(
    in scope: LibraryScope, _ body: (Int32) -> Void
  ) {
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

  /// - Precondition: the query stands in the scope.
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
