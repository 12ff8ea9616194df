public import EvictionPolicies

/// Which queries list an entity: the reverse index.
///
/// One listing for each pair of entity and query, however often the query's result repeats the
/// entity, chained from the entity's slot. An event visits the listings of its entity and no others.
@usableFromInline struct ListingTable: ~Copyable {
  @usableFromInline var query = Column<Int32>(filler: -1)
  @usableFromInline var next = Column<Int32>(filler: -1)
  /// How often the query's result lists the entity.
  @usableFromInline var multiplicity = Column<Int32>(filler: 0)
  /// Whether this listing holds the entity back from eviction.
  @usableFromInline var holds = Column<Bool>(filler: false)
  @usableFromInline var used: Int32 = 0
  @usableFromInline var firstFree: Int32 = -1

  @inlinable init() {}

  /// The listing of a query in the chain that starts at `first`; O(listings of the entity).
  @inlinable func find(query sought: Int32, from first: Int32) -> Int32? {
    var listing = first
    while listing >= 0 {
      if query[listing] == sought { return listing }
      listing = next[listing]
    }
    return nil
  }

  /// Adds one occurrence; returns whether the query did not list the entity before.
  @inlinable mutating func add(query newQuery: Int32, to first: inout Int32) -> Bool {
    if let listing = find(query: newQuery, from: first) {
      multiplicity[listing] += 1
      return false
    }
    let listing: Int32
    if firstFree >= 0 {
      listing = firstFree
      firstFree = next[listing]
    } else {
      listing = used
      used += 1
      query.grow(toAtLeast: Int(used))
      next.grow(toAtLeast: Int(used))
      multiplicity.grow(toAtLeast: Int(used))
      holds.grow(toAtLeast: Int(used))
    }
    query[listing] = newQuery
    holds[listing] = false
    next[listing] = first
    multiplicity[listing] = 1
    first = listing
    return true
  }

  /// Takes one occurrence away; returns whether the query no longer lists the entity.
  ///
  /// - Precondition: the query lists it.
  @inlinable mutating func remove(query oldQuery: Int32, from first: inout Int32) -> Bool {
    var before: Int32 = -1
    var listing = first
    while listing >= 0, query[listing] != oldQuery {
      before = listing
      listing = next[listing]
    }
    precondition(listing >= 0, "query \(oldQuery) does not list the entity")
    multiplicity[listing] -= 1
    guard multiplicity[listing] == 0 else { return false }
    if before < 0 { first = next[listing] } else { next[before] = next[listing] }
    query[listing] = -1
    next[listing] = firstFree
    firstFree = listing
    return true
  }
}
