import CacheModel

/// Finds an object of the catalog by its key: a hash table of numbers, filled once.
///
/// The keys stay in the catalog. A `Dictionary` would take some 300 instructions to hash one, and every
/// row that a view shows without a value is looked for. Expected O(1).
struct ObjectIndex: Sendable {
  private let objects: [EntityKey]
  /// Objects where their keys' hashes point, or behind, over a power of two of places; ``none`` where
  /// there is none.
  private let places: [UInt32]

  private static let none = UInt32.max

  /// - Parameter objects: their keys; of two that are equal the first is found.
  init(of objects: [EntityKey]) {
    self.objects = objects
    // At most half full, so that the next free place is near.
    var count = 16
    while count < 2 * objects.count { count *= 2 }
    var places = [UInt32](repeating: Self.none, count: count)
    for (object, key) in objects.enumerated() {
      var place = Self.hash(key) & (count - 1)
      while places[place] != Self.none, objects[Int(places[place])] != key {
        place = (place + 1) & (count - 1)
      }
      if places[place] == Self.none { places[place] = UInt32(object) }
    }
    self.places = places
  }

  subscript(key: EntityKey) -> UInt32? {
    var place = Self.hash(key) & (places.count - 1)
    while places[place] != Self.none {
      if objects[Int(places[place])] == key { return places[place] }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// Mixes all bits into the lowest; keys of a workload are drawn, and not chosen to collide.
  private static func hash(_ key: EntityKey) -> Int {
    var mixed = (key.id.high ^ UInt64(key.type.rawValue)) &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 32) ^ key.id.low) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed ^ (mixed >> 32))
  }
}
