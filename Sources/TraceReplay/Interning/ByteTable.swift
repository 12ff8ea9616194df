import Containers

/// Numbers byte strings: a hash finds the candidates, all bytes decide.
struct ByteTable: Sendable {
  struct Entry: Sendable {
    fileprivate var hash: UInt64
    fileprivate var start: Int
    fileprivate var end: Int
    var number: UInt32

    /// Where in ``bytes`` the key stands.
    var range: Range<Int> { start..<end }
  }

  /// In the order of their numbers.
  private(set) var entries: [Entry] = []
  /// The bytes of every key, one after the other.
  private(set) var bytes: [UInt8] = []
  /// Indices into `entries`, by open addressing with linear probes; -1 is vacant.
  private var places: [Int32] = []

  mutating func number(of key: Span<UInt8>, ifNew fresh: UInt32) -> UInt32 {
    if entries.count * 2 >= places.count { grow() }
    let hash = Self.hash(key)
    var place = home(of: hash)
    while places[place] >= 0 {
      let entry = entries[Int(places[place])]
      if entry.hash == hash, holds(entry, key) { return entry.number }
      place = (place + 1) & (places.count - 1)
    }
    places[place] = Int32(entries.count)
    let start = bytes.count
    for index in key.indices { bytes.append(key[index]) }
    entries.append(Entry(hash: hash, start: start, end: bytes.count, number: fresh))
    return fresh
  }

  /// The memory in bytes, including the next size of the table if it is near.
  var bytesToGrow: Int {
    let held = places.count * 4 + entries.capacity * MemoryLayout<Entry>.stride + bytes.capacity
    return held * (entries.count * 8 > places.count * 3 ? 3 : 1)
  }

  private func holds(_ entry: Entry, _ key: Span<UInt8>) -> Bool {
    guard entry.end - entry.start == key.count else { return false }
    for index in key.indices where bytes[entry.start + index] != key[index] { return false }
    return true
  }

  private func home(of hash: UInt64) -> Int { Int(hash & UInt64(places.count - 1)) }

  /// Returns FNV-1a with a finalizer, since the low bits determine the slot.
  private static func hash(_ key: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in key.indices { hash = (hash ^ UInt64(key[index])) &* 0x0000_0100_0000_01b3 }
    hash = (hash ^ (hash >> 32)) &* 0x9e37_79b9_7f4a_7c15
    return hash ^ (hash >> 32)
  }

  private mutating func grow() {
    places = [Int32](repeating: -1, count: max(1024, places.count * 2))
    for (index, entry) in entries.enumerated() {
      var place = home(of: entry.hash)
      while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
      places[place] = Int32(index)
    }
  }
}

/// Numbers 64-bit integers: open addressing with linear probes, at most half full.
///
/// Where most of them are small for their number, as those of blocks and rows are, the small ones are looked up
/// in an array instead, which takes no more memory than the table would.
struct IntegerTable: Sendable {
  private struct Place: Sendable, BitwiseCopyable {
    var key: UInt64
    var number: UInt32

    static var vacant: Place { Place(key: 0, number: IntegerTable.none) }
  }

  private static var none: UInt32 { .max }

  /// The numbers of the smallest integers, or ``none``.
  private var small: [UInt32] = []
  /// A key and its number share a cache line.
  private var places = [Place](repeating: .vacant, count: 1024)
  /// How many places are taken.
  private var count = 0
  private var shift: UInt64 = 54

  mutating func number(of key: UInt64, ifNew fresh: UInt32) -> UInt32 {
    if key < UInt64(small.count) {
      let number = small[Int(key)]
      guard number == Self.none else { return number }
      small[Int(key)] = fresh
      return fresh
    }
    let place = place(of: key)
    let number = places[place].number
    guard number == Self.none else { return number }
    places[place] = Place(key: key, number: fresh)
    count += 1
    if count * 2 > places.count { grow() }
    return fresh
  }

  /// Prefetches the memory of a look-up.
  func prefetch(_ key: UInt64) {
    if key < UInt64(small.count) {
      prefetchElement(Int(key), of: small)
    } else {
      prefetchElement(home(of: key), of: places)
    }
  }

  /// The keys by their numbers, all below a limit; 0 where a number is of no key here.
  func keys(numberedBelow limit: Int) -> [UInt64] {
    var keys = [UInt64](repeating: 0, count: limit)
    for key in small.indices where small[key] != Self.none {
      keys[Int(small[key])] = UInt64(key)
    }
    for place in places where place.number != Self.none { keys[Int(place.number)] = place.key }
    return keys
  }

  /// The bytes that it takes, with those of the next size if that is near; the first few do not count.
  var bytesToGrow: Int {
    guard count > 0 || !small.isEmpty else { return 0 }
    return small.count * 4
      + places.count * MemoryLayout<Place>.stride * (count * 8 > places.count * 3 ? 3 : 1)
  }

  private func home(of key: UInt64) -> Int {
    // Fibonacci hashing; the fold lets high bits of the key reach all bits of the product.
    Int(truncatingIfNeeded: ((key ^ (key >> 32)) &* 0x9e37_79b9_7f4a_7c15) &>> shift)
  }

  /// Returns the slot of the key, or the empty slot for it.
  private func place(of key: UInt64) -> Int {
    var place = home(of: key)
    while places[place].number != Self.none, places[place].key != key {
      place = (place + 1) & (places.count - 1)
    }
    return place
  }

  /// Makes twice as much room: in the array if half of the keys belong there, else in the table.
  private mutating func grow() {
    let former = places
    let limit = UInt64(former.count * 8)
    let isDense = former.count { $0.number != Self.none && $0.key < limit } * 2 >= count
    if isDense {
      small += repeatElement(Self.none, count: max(0, Int(limit) - small.count))
    } else {
      shift -= 1
    }
    places = [Place](repeating: .vacant, count: former.count * (isDense ? 1 : 2))
    count = 0
    for entry in former where entry.number != Self.none {
      if entry.key < UInt64(small.count) {
        small[Int(entry.key)] = entry.number
      } else {
        places[place(of: entry.key)] = entry
        count += 1
      }
    }
  }
}
