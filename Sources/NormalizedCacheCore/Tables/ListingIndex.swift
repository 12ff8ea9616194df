public import EvictionPolicies

/// A listing that is found by its entity and its query.
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
  /// The listing before it in its chain, or −1; of a free place the next free one.
  @usableFromInline var before: Int32 = -1

  @inlinable init() {}

  @inlinable static func hash(_ key: Key) -> UInt64 {
    let both = UInt64(UInt32(bitPattern: key.slot)) << 32 | UInt64(UInt32(bitPattern: key.query))
    let mixed = (both ^ (both >> 32)) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }
}

/// The listings of those entities that many queries list, but for the first few of each.
///
/// A cache without such entities pays for an empty table. Expected O(1).
@usableFromInline struct ListingIndex: ~Copyable {
  @usableFromInline var index = SlotIndex<IndexedListing>()
  @usableFromInline var records = Column<IndexedListing>(filler: IndexedListing())
  @usableFromInline var used: Int32 = 0
  @usableFromInline var firstFree: Int32 = -1

  @inlinable init() {}

  /// How many listings are in the index.
  @inlinable var count: Int { index.count }

  /// How many places wait to be used again.
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

  /// Takes a pair out.
  ///
  /// - Returns: the listing before it in its chain, or −1.
  /// - Precondition: it is in the index.
  @inlinable mutating func remove(of slot: Slot, in query: Int32) -> Int32 {
    let place = place(of: slot, in: query)
    index.remove(place, in: records)
    let before = records[place].before
    records[place].before = firstFree
    firstFree = place
    return before
  }

  /// Notes that another listing stands before it now.
  ///
  /// - Precondition: it is in the index.
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
