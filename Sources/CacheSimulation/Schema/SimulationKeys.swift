import CacheModel
package import Workloads

/// The simulator's payload: an object, one of its states, and whether only a summary of it.
///
/// Values are numbers, so a cache of a hundred thousand entities takes a few megabytes and a comparison is
/// one instruction.
package struct Handle: Hashable, Sendable, BitwiseCopyable {
  /// The object's index; the highest bit marks a summary.
  package private(set) var place: UInt32
  /// An index of `Catalog.revisions`.
  package var revision: UInt32

  private static let summaryBit: UInt32 = 1 << 31

  package init(object: UInt32, revision: UInt32) {
    place = object & ~Self.summaryBit
    self.revision = revision
  }

  package init(place: UInt32, revision: UInt32) {
    self.place = place
    self.revision = revision
  }

  /// An index of `Catalog.objects`, of which there are fewer than 2³¹.
  package var object: UInt32 { place & ~Self.summaryBit }

  /// Whether it is the summary of the state, not the whole.
  package var isSummary: Bool { place & Self.summaryBit != 0 }

  package var summary: Handle {
    var summary = self
    summary.place |= Self.summaryBit
    return summary
  }

  /// Returns another state of the object, whole or summary as this one.
  func inState(_ revision: UInt32) -> Handle {
    var other = self
    other.revision = revision
    return other
  }

  /// A placeholder for an unknown row.
  static let unknown = Handle(object: .max, revision: .max)

  /// Whether the state is known.
  var hasValue: Bool { revision != .max }
}

/// Finds an object of the catalog by its key: a hash table of numbers, filled once.
///
/// The keys stay in the catalog. A `Dictionary` would take about 300 instructions to hash one, and every
/// shown row without a value is looked up. Expected O(1).
struct ObjectIndex: Sendable {
  private let objects: [EntityKey]
  /// The objects at or after their keys' hash positions, in a power of two of slots; ``none`` if empty.
  private let places: [UInt32]

  private static let none = UInt32.max

  /// - Parameter objects: their keys; of equal keys the first is found.
  init(of objects: [EntityKey]) {
    self.objects = objects
    // At most half full, so that the next free slot is near.
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

  /// Mixes all bits into the lowest; a workload's keys are random, not adversarial.
  private static func hash(_ key: EntityKey) -> Int {
    var mixed = (key.id.high ^ UInt64(key.type.rawValue)) &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 32) ^ key.id.low) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed ^ (mixed >> 32))
  }
}

/// The canonical bytes of a query's input: subject (8), letters of the prefix (1), limit (4), and the cursor
/// (5) if there is one, all big-endian.
package enum QueryInput {
  private static let byteCount = 13
  private static let cursorBytes = 5

  package static func encode(_ spec: QuerySpec) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + cursorBytes)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.subject >> UInt64(shift)))
    }
    bytes.append(spec.prefixLength)
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.limit >> UInt32(shift)))
    }
    if spec.after != Revision.noObject {
      for shift in stride(from: 32, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: UInt64(spec.after) >> UInt64(shift)))
      }
    }
    return bytes
  }

  /// Returns the query of a key; `nil` if the key is not a result of `encode`.
  package static func decode(_ key: QueryKey) -> QuerySpec? {
    let input = key.input
    guard let kind = QueryKind(rawValue: key.method.rawValue),
      [byteCount, byteCount + cursorBytes].contains(input.count)
    else { return nil }
    func number(_ bytes: Range<Int>) -> UInt64 {
      input[bytes].reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard let limit = UInt32(exactly: number(9..<byteCount)) else { return nil }
    var spec = QuerySpec(
      kind: kind, subject: number(0..<8), prefixLength: input[8], limit: limit)
    if input.count > byteCount {
      guard let after = UInt32(exactly: number(byteCount..<input.count)) else { return nil }
      spec.after = after
    }
    return spec
  }
}
