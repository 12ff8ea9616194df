public import CacheModel
public import EvictionPolicies

/// Finds an entity's slot by its key: linear hashing over slot numbers alone.
///
/// The keys stay in the table's column, so an entry costs 8 bytes, against some 46 for a `Dictionary`
/// from key to slot. The table grows by one bucket per insertion, so none of them pays for all, as it
/// does where a table doubles. Buckets are chains through the slots; expected O(1). Its order never
/// reaches a result.
///
/// Source: Litwin, "Linear Hashing: A New Tool for File and Table Addressing", VLDB 1980.
@usableFromInline struct SlotIndex: ~Copyable {
  /// The first slot of each bucket, or ``none``.
  @usableFromInline var first = Column<Slot>(filler: -1)
  /// The slot after each in its bucket, or ``none``.
  @usableFromInline var next = Column<Slot>(filler: -1)
  /// Buckets below this power of two are all there; of twice as many, those up to `bucketCount`.
  @usableFromInline var half = 16
  @usableFromInline var bucketCount = 16
  @usableFromInline var count = 0

  @usableFromInline static let none: Slot = -1

  @inlinable init() {
    first.grow(toAtLeast: bucketCount)
  }

  /// 64 well-mixed bits of a key.
  @inlinable static func hash(_ key: EntityKey) -> UInt64 {
    var mixed = key.id.high ^ (key.id.low &* 0x9e37_79b9_7f4a_7c15) ^ UInt64(key.type.rawValue)
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }

  @inlinable func find(_ key: EntityKey, in keys: borrowing Column<EntityKey>) -> Slot? {
    var slot = first[bucket(of: key)]
    while slot != Self.none {
      if keys[slot] == key { return slot }
      slot = next[slot]
    }
    return nil
  }

  /// Adds a slot whose key is in the column already.
  ///
  /// - Precondition: no slot of that key is in the index.
  @inlinable mutating func insert(_ slot: Slot, in keys: borrowing Column<EntityKey>) {
    if count == bucketCount { split(keys) }
    next.grow(toAtLeast: Int(slot) + 1)
    let bucket = bucket(of: keys[slot])
    next[slot] = first[bucket]
    first[bucket] = slot
    count += 1
  }

  /// Removes a slot while its key is still in the column.
  ///
  /// - Precondition: the slot is in the index.
  @inlinable mutating func remove(_ slot: Slot, in keys: borrowing Column<EntityKey>) {
    let bucket = bucket(of: keys[slot])
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

  @inlinable func bucket(of key: EntityKey) -> Int {
    let hash = Int(truncatingIfNeeded: Self.hash(key))
    let bucket = hash & (half * 2 - 1)
    return bucket < bucketCount ? bucket : hash & (half - 1)
  }

  /// Adds a bucket, and deals the slots of the one that it splits anew.
  @inlinable mutating func split(_ keys: borrowing Column<EntityKey>) {
    let parent = bucketCount - half
    var slot = first[parent]
    first.grow(toAtLeast: bucketCount + 1)
    first[parent] = Self.none
    bucketCount += 1
    while slot != Self.none {
      let following = next[slot]
      let bucket = bucket(of: keys[slot])
      next[slot] = first[bucket]
      first[bucket] = slot
      slot = following
    }
    if bucketCount == half * 2 { half *= 2 }
  }
}
