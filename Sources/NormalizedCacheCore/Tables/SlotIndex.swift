public import CacheModel
public import EvictionPolicies

/// What a table keeps at each of its places, found by a key of its own.
@usableFromInline protocol KeyedRecord {
  associatedtype Key: Equatable
  var key: Key { get }
  /// 64 well-mixed bits of a key.
  static func hash(_ key: Key) -> UInt64
}

/// Finds a record's place by its key, such as an entity's slot: linear hashing over places alone.
///
/// The keys stay in the table's records, so an entry costs 8 bytes, against some 46 for a `Dictionary`
/// from key to slot. The table grows by one bucket per insertion, so none of them pays for all, as it
/// does where a table doubles. Buckets are chains through the slots; expected O(1). Its order never
/// reaches a result.
///
/// Source: Litwin, "Linear Hashing: A New Tool for File and Table Addressing", VLDB 1980.
@usableFromInline struct SlotIndex<Record: KeyedRecord>: ~Copyable {
  /// The first slot of each bucket, or ``none``.
  @usableFromInline var first = Column<Slot>(filler: -1)
  /// The slot after each in its bucket, or ``none``.
  @usableFromInline var next = Column<Slot>(filler: -1)
  /// Buckets below this power of two are all there; of twice as many, those up to `bucketCount`.
  @usableFromInline var half = 16
  @usableFromInline var bucketCount = 16
  @usableFromInline var count = 0

  @inlinable static var none: Slot { -1 }

  @inlinable init() {
    first.grow(toAtLeast: bucketCount)
  }

  @inlinable func find(_ key: Record.Key, in records: borrowing Column<Record>) -> Slot? {
    var slot = first[bucket(of: key)]
    while slot != Self.none {
      if records[slot].key == key { return slot }
      slot = next[slot]
    }
    return nil
  }

  /// The first slot of a key's bucket, or ``none``: where ``find(_:in:)`` begins.
  @inlinable func firstCandidate(of key: Record.Key) -> Slot { first[bucket(of: key)] }

  /// Adds a slot whose key is in its record already.
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

  @inlinable func bucket(of key: Record.Key) -> Int {
    let hash = Int(truncatingIfNeeded: Record.hash(key))
    let bucket = hash & (half * 2 - 1)
    return bucket < bucketCount ? bucket : hash & (half - 1)
  }

  /// Adds a bucket, and deals the slots of the one that it splits anew.
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
  /// 64 bits, well mixed with others that belong to the same key.
  ///
  /// The first half is mixed before the second comes in: a sum of the two, however weighted, is the same
  /// for all identifiers of an app that derives one half from the other by the same weight.
  @inlinable func mixed(with other: UInt64) -> UInt64 {
    var mixed = high ^ other
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    mixed = (mixed ^ (mixed >> 32) ^ low) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }
}
