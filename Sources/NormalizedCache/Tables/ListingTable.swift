public import EvictionPolicies

/// One query that lists one entity.
@usableFromInline struct Listing: BitwiseCopyable, Sendable {
  @usableFromInline var query: Int32 = -1
  /// The next listing of the entity, or of those that are free; −1 for none.
  @usableFromInline var next: Int32 = -1
  /// How often the query's result lists the entity.
  @usableFromInline var multiplicity: Int32 = 0
  /// Whether this listing holds the entity back from eviction.
  @usableFromInline var holds = false

  @inlinable init() {}
}

/// Which queries list an entity: the reverse index.
///
/// One listing for each pair of entity and query, however often the query's result repeats the
/// entity, chained from the entity's slot. An event visits the listings of its entity and no others.
@usableFromInline struct ListingTable: ~Copyable {
  @usableFromInline var records = Column<Listing>(filler: Listing())
  @usableFromInline var used: Int32 = 0
  @usableFromInline var firstFree: Int32 = -1

  @inlinable init() {}

  @inlinable subscript(listing: Int32) -> Listing {
    @inline(__always) _read { yield records[listing] }
    @inline(__always) _modify { yield &records[listing] }
  }

  /// The listing of a query in the chain that starts at `first`; O(listings of the entity).
  @inlinable func find(query sought: Int32, from first: Int32) -> Int32? {
    var listing = first
    while listing >= 0 {
      if records[listing].query == sought { return listing }
      listing = records[listing].next
    }
    return nil
  }

  /// Adds one occurrence; returns whether the query did not list the entity before.
  @inlinable mutating func add(query newQuery: Int32, to first: inout Int32) -> Bool {
    if let listing = find(query: newQuery, from: first) {
      records[listing].multiplicity += 1
      return false
    }
    let listing: Int32
    if firstFree >= 0 {
      listing = firstFree
      firstFree = records[listing].next
    } else {
      listing = used
      used += 1
      records.grow(toAtLeast: Int(used))
    }
    records[listing].query = newQuery
    records[listing].holds = false
    records[listing].next = first
    records[listing].multiplicity = 1
    first = listing
    return true
  }

  /// Takes one occurrence away; returns whether the query no longer lists the entity.
  ///
  /// - Precondition: the query lists it.
  @inlinable mutating func remove(query oldQuery: Int32, from first: inout Int32) -> Bool {
    var before: Int32 = -1
    var listing = first
    while listing >= 0, records[listing].query != oldQuery {
      before = listing
      listing = records[listing].next
    }
    precondition(listing >= 0, "query \(oldQuery) does not list the entity")
    records[listing].multiplicity -= 1
    guard records[listing].multiplicity == 0 else { return false }
    if before < 0 {
      first = records[listing].next
    } else {
      records[before].next = records[listing].next
    }
    records[listing].query = -1
    records[listing].next = firstFree
    firstFree = listing
    return true
  }
}
