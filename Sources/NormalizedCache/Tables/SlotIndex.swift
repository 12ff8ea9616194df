public import CacheModel
public import EvictionPolicies

/// Finds an entity's slot by its key: open addressing over slot numbers alone.
///
/// The keys stay in the table's column, so an entry costs 4 bytes at a load of 3/8 to 3/4, against
/// some 46 for a `Dictionary` from key to slot; and the keyed hash of a `Dictionary` was a third of the
/// time of a simulation. Linear probing; removal shifts back what follows, so no gravestones pile up.
/// Expected O(1). Its order never reaches a result.
///
/// Source: Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L and R.
@usableFromInline struct SlotIndex: ~Copyable {
  /// Slots, or ``empty``; the count is a power of two.
  @usableFromInline var places = Fixed<Slot>(repeating: -1, count: 16)
  @usableFromInline var placeCount = 16
  @usableFromInline var count = 0

  @usableFromInline static let empty: Slot = -1

  @inlinable init() {}

  /// 64 well-mixed bits of a key.
  @inlinable static func hash(_ key: EntityKey) -> UInt64 {
    var mixed = key.id.high ^ (key.id.low &* 0x9e37_79b9_7f4a_7c15) ^ UInt64(key.type.rawValue)
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }

  @inlinable func find(_ key: EntityKey, in keys: borrowing Fixed<EntityKey>) -> Slot? {
    var place = home(of: key)
    while places[place] != Self.empty {
      let slot = places[place]
      if keys[slot] == key { return slot }
      place = following(place)
    }
    return nil
  }

  /// Adds a slot whose key is in the column already.
  ///
  /// - Precondition: no slot of that key is in the index.
  @inlinable mutating func insert(_ slot: Slot, in keys: borrowing Fixed<EntityKey>) {
    if (count + 1) * 4 > placeCount * 3 { double(keys) }
    place(slot, keys)
    count += 1
  }

  /// Removes a slot while its key is still in the column.
  ///
  /// - Precondition: the slot is in the index.
  @inlinable mutating func remove(_ slot: Slot, in keys: borrowing Fixed<EntityKey>) {
    var gap = home(of: keys[slot])
    while places[gap] != slot {
      precondition(places[gap] != Self.empty, "slot \(slot) is not in the index")
      gap = following(gap)
    }
    places[gap] = Self.empty
    count -= 1
    // What stands behind the gap moves into it, unless it would then stand before its home.
    var place = following(gap)
    while places[place] != Self.empty {
      let home = home(of: keys[places[place]])
      let distanceFromHome = (place - home) & (placeCount - 1)
      if distanceFromHome >= (place - gap) & (placeCount - 1) {
        places[gap] = places[place]
        places[place] = Self.empty
        gap = place
      }
      place = following(place)
    }
  }

  @inlinable func home(of key: EntityKey) -> Int {
    Int(truncatingIfNeeded: Self.hash(key)) & (placeCount - 1)
  }

  @inlinable func following(_ place: Int) -> Int { (place + 1) & (placeCount - 1) }

  @inlinable mutating func place(_ slot: Slot, _ keys: borrowing Fixed<EntityKey>) {
    var place = home(of: keys[slot])
    while places[place] != Self.empty { place = following(place) }
    places[place] = slot
  }

  @inlinable mutating func double(_ keys: borrowing Fixed<EntityKey>) {
    var former = Fixed<Slot>(repeating: Self.empty, count: placeCount * 2)
    swap(&former, &places)
    let formerCount = placeCount
    placeCount *= 2
    for index in 0..<formerCount where former[index] != Self.empty { place(former[index], keys) }
  }
}
