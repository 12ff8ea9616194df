public import EvictionPolicies

/// An entry of the reverse index: one query that lists one entity.
@usableFromInline struct Listing: BitwiseCopyable, Sendable {
  @usableFromInline var query: Int32 = -1
  /// The next listing of the entity, or the next free one; −1: none.
  @usableFromInline var next: Int32 = -1
  /// The number of times that the query's result lists the entity.
  @usableFromInline var multiplicity: Int32 = 0
  @usableFromInline var holds = false
  /// Whether it comes after the linearly searched part of its chain.
  @usableFromInline var isIndexed = false

  @inlinable init() {}
}

/// The reverse index: the queries that list an entity.
///
/// There is one listing for each pair of entity and query, even if the result repeats the entity, chained
/// from the entity's slot, the newest first. An event visits the listings of its entity and no others. It
/// also checks, for each query in its entity's scopes, whether that one lists the entity: the first listings
/// of a chain are searched linearly, and the others through an index, so that an event costs O(queries) even
/// if a thousand of them list one entity.
@usableFromInline struct ListingTable: ~Copyable {
  @usableFromInline var records = Column<Listing>(filler: Listing())
  @usableFromInline var index = ListingIndex()
  @usableFromInline var used: Int32 = 0
  @usableFromInline var firstFree: Int32 = -1
  @usableFromInline var freeCount = 0

  /// Makes the compiler pass the table by reference, as ``EntityTable``: otherwise every search would copy it
  /// to the stack.
  @usableFromInline let addressedOnly: any Sendable = ()

  /// The number of listings of an entity that are searched linearly: about two cache lines.
  @inlinable static var searchedLength: Int { 8 }

  @inlinable init() {}

  @inlinable subscript(listing: Int32) -> Listing {
    @inline(__always) _read { yield records[listing] }
    @inline(__always) _modify { yield &records[listing] }
  }

  /// Returns the listing of a query in a chain; expected O(1).
  ///
  /// - Returns: the listing; `nil` if the query does not list the entity.
  @inlinable func find(query sought: Int32, listing slot: Slot, from first: Int32) -> Int32? {
    search(for: sought, listing: slot, from: first).listing
  }

  /// Returns the listing, and the number of records that were read.
  @inlinable func search(
    for sought: Int32, listing slot: Slot, from first: Int32
  ) -> (listing: Int32?, steps: Int) {
    var listing = first
    var steps = 0
    while listing >= 0, !records[listing].isIndexed {
      steps += 1
      if records[listing].query == sought { return (listing, steps) }
      listing = records[listing].next
    }
    guard listing >= 0 else { return (nil, steps) }
    return (index.listing(of: slot, in: sought), steps + 1)
  }

  /// Adds one occurrence, and returns whether the query did not list the entity before.
  ///
  /// Expected O(1).
  @inlinable mutating func add(
    query newQuery: Int32, listing slot: Slot, to first: inout Int32
  ) -> Bool {
    if let listing = find(query: newQuery, listing: slot, from: first) {
      records[listing].multiplicity += 1
      return false
    }
    let listing = takePlace()
    if first >= 0, records[first].isIndexed {
      index.move(of: slot, in: records[first].query, behind: listing)
    }
    records[listing].query = newQuery
    records[listing].holds = false
    records[listing].isIndexed = false
    records[listing].next = first
    records[listing].multiplicity = 1
    first = listing
    indexBehindSearched(of: slot, from: first)
    return true
  }

  /// Returns whether a chain has the maximum number of linearly searched listings, so that another one moves
  /// one into the index.
  @inlinable func hasAllSearched(from first: Int32) -> Bool {
    var listing = first
    for _ in 1..<Self.searchedLength {
      guard listing >= 0 else { return false }
      listing = records[listing].next
    }
    return listing >= 0
  }

  @inlinable mutating func takePlace() -> Int32 {
    if firstFree >= 0 {
      let listing = firstFree
      firstFree = records[listing].next
      freeCount -= 1
      return listing
    }
    let listing = used
    used += 1
    records.grow(toAtLeast: Int(used))
    return listing
  }

  /// Adds the listing that a new first one has displaced from the linearly searched part to the index.
  @inlinable mutating func indexBehindSearched(of slot: Slot, from first: Int32) {
    var before = first
    for _ in 1..<Self.searchedLength {
      before = records[before].next
      guard before >= 0, !records[before].isIndexed else { return }
    }
    let pushed = records[before].next
    guard pushed >= 0, !records[pushed].isIndexed else { return }
    records[pushed].isIndexed = true
    index.insert(pushed, of: slot, in: records[pushed].query, behind: before)
  }

  /// Removes one occurrence.
  ///
  /// Expected O(1).
  ///
  /// - Returns: the former listing, if this was its last occurrence; `nil` if the query still lists the
  ///   entity.
  /// - Precondition: the query lists the entity.
  @inlinable mutating func remove(
    query oldQuery: Int32, listing slot: Slot, from first: inout Int32
  ) -> Listing? {
    var before: Int32 = -1
    var listing = first
    while listing >= 0, !records[listing].isIndexed, records[listing].query != oldQuery {
      before = listing
      listing = records[listing].next
    }
    if listing >= 0, records[listing].isIndexed {
      listing = index.listing(of: slot, in: oldQuery) ?? -1
    }
    precondition(listing >= 0, "query \(oldQuery) does not list the entity")
    records[listing].multiplicity -= 1
    guard records[listing].multiplicity == 0 else { return nil }
    let removed = records[listing]
    if removed.isIndexed { before = index.remove(of: slot, in: oldQuery) }
    let next = removed.next
    if before < 0 {
      first = next
    } else {
      records[before].next = next
    }
    if next >= 0, records[next].isIndexed {
      index.move(of: slot, in: records[next].query, behind: before)
    }
    records[listing].query = -1
    records[listing].next = firstFree
    firstFree = listing
    freeCount += 1
    return removed
  }
}

/// A listing found by its entity and query.
@usableFromInline struct IndexedListing: KeyedRecord, BitwiseCopyable, Sendable {
  @usableFromInline struct Key: Equatable, BitwiseCopyable, Sendable {
    @usableFromInline var slot: Slot
    @usableFromInline var query: Int32

    @inlinable init(slot: Slot, query: Int32) {
      self.slot = slot
      self.query = query
    }
  }

  @usableFromInline var key = Key(slot: -1, query: -1)
  @usableFromInline var listing: Int32 = -1
  /// The listing before it in its chain, or −1; for a free one the next free one.
  @usableFromInline var before: Int32 = -1

  @inlinable init() {}

  @inlinable static func hash(_ key: Key) -> UInt64 {
    let both = UInt64(UInt32(bitPattern: key.slot)) << 32 | UInt64(UInt32(bitPattern: key.query))
    let mixed = (both ^ (both >> 32)) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }
}

/// The listings of entities that many queries list, without the first few of each.
///
/// A cache without such entities has an empty table. Expected O(1).
@usableFromInline struct ListingIndex: ~Copyable {
  @usableFromInline var index = SlotIndex<IndexedListing>()
  @usableFromInline var records = Column<IndexedListing>(filler: IndexedListing())
  @usableFromInline var used: Int32 = 0
  @usableFromInline var firstFree: Int32 = -1

  @inlinable init() {}

  @inlinable var count: Int { index.count }

  @inlinable var freeCount: Int { Int(used) - index.count }

  @inlinable func listing(of slot: Slot, in query: Int32) -> Int32? {
    index.find(.init(slot: slot, query: query), in: records).map { records[$0].listing }
  }

  /// - Precondition: the pair is not in the index.
  @inlinable mutating func insert(
    _ listing: Int32, of slot: Slot, in query: Int32, behind before: Int32
  ) {
    let place: Int32
    if firstFree >= 0 {
      place = firstFree
      firstFree = records[place].before
    } else {
      place = used
      used += 1
      records.grow(toAtLeast: Int(used))
    }
    records[place].key = .init(slot: slot, query: query)
    records[place].listing = listing
    records[place].before = before
    index.insert(place, in: records)
  }

  /// Removes a pair.
  ///
  /// - Precondition: the pair is in the index.
  @inlinable mutating func remove(of slot: Slot, in query: Int32) -> Int32 {
    let place = place(of: slot, in: query)
    index.remove(place, in: records)
    let before = records[place].before
    records[place].before = firstFree
    firstFree = place
    return before
  }

  /// Notes that another listing now precedes it.
  ///
  /// - Precondition: the pair is in the index.
  @inlinable mutating func move(of slot: Slot, in query: Int32, behind before: Int32) {
    records[place(of: slot, in: query)].before = before
  }

  @inlinable func place(of slot: Slot, in query: Int32) -> Int32 {
    guard let place = index.find(.init(slot: slot, query: query), in: records) else {
      preconditionFailure("query \(query) and slot \(slot) are not in the index")
    }
    return place
  }
}
