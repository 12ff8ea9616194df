import CacheModel

/// Evicts an entity drawn at random, each with the same chance.
///
/// Differs from every other order in that it remembers nothing: what a policy wins over it is what
/// its memory is worth. Not for use, but as a bound; a policy below it is misled by the workload,
/// as ``LRU`` is by a loop larger than the cache.
///
/// Source: Bélády, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
/// Journal 5(2), 1966.
struct Random: EvictionPolicy, ~Copyable {
  static let name = "random"
  static let summary = "Evicts an entity drawn at random."
  static let source = "Bélády, IBM Systems Journal 5(2), 1966"

  /// The slots in the order, packed at the front.
  private var members = Fixed<Slot>(repeating: -1, count: 0)
  /// Where in `members` a slot stands; -1: it does not.
  private var places = Fixed<Int32>(repeating: -1, count: 0)
  private var count = 0
  private var random: RandomSource

  init(capacity: Int?, random: RandomSource) {
    self.random = random
  }

  mutating func reserve(slots: Int) {
    members.grow(toAtLeast: slots, filling: -1)
    places.grow(toAtLeast: slots, filling: -1)
  }

  mutating func didInsert(_ entry: EvictionEntry) {
    precondition(places[entry.slot] < 0, "slot \(entry.slot) is in the order already")
    members[count] = entry.slot
    places[entry.slot] = Int32(count)
    count += 1
  }

  mutating func didHit(_ entry: EvictionEntry) {}

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    let place = places[slot]
    precondition(place >= 0, "slot \(slot) is not in the order")
    count -= 1
    let moved = members[count]
    members[place] = moved
    places[moved] = place
    places[slot] = -1
  }

  mutating func nextVictim() -> Slot? {
    count == 0 ? nil : members[random.below(count)]
  }

  func checkInvariants() {
    for index in 0..<count {
      precondition(Int(places[members[index]]) == index, "slot \(members[index]) lost its place")
    }
  }
}
