/// Numbers byte strings: a hash finds candidates, and all bytes are compared.
struct ByteTable: Sendable {
  private struct Entry: Sendable {
    var hash: UInt64
    var start: Int
    var end: Int
    var number: UInt32
  }

  private var entries: [Entry] = []
  /// The concatenated bytes of all keys.
  private var bytes: [UInt8] = []
  /// Indices into `entries`, by open addressing with linear probing; -1 is empty.
  private var places: [Int32] = []

  /// Returns the number of a key: the existing one, or `fresh` if the key is new.
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

/// Numbers 64-bit integers: open addressing with linear probing, at most half full.
struct IntegerTable: Sendable {
  private struct Place: Sendable, BitwiseCopyable {
    var key: UInt64
    var number: UInt32

    static let vacant = Place(key: 0, number: .max)
  }

  /// The slots; a key and its number share a cache line.
  private var places: [Place] = []
  private var count = 0
  private var shift: UInt64 = 64

  /// Returns the number of a key: the existing one, or `fresh` if the key is new.
  mutating func number(of key: UInt64, ifNew fresh: UInt32) -> UInt32 {
    if count * 2 >= places.count { grow() }
    let place = place(of: key)
    let number = places[place].number
    guard number == Place.vacant.number else { return number }
    places[place] = Place(key: key, number: fresh)
    count += 1
    return fresh
  }

  /// Prefetches the memory of a look-up.
  func prefetch(_ key: UInt64) {
    guard !places.isEmpty else { return }
    places.span.prefetch(home(of: key))
  }

  /// The memory in bytes, including the next size of the table if it is near.
  var bytesToGrow: Int {
    places.count * MemoryLayout<Place>.stride * (count * 8 > places.count * 3 ? 3 : 1)
  }

  private func home(of key: UInt64) -> Int {
    // Fibonacci hashing; the fold propagates high bits of the key to all bits of the product.
    Int(truncatingIfNeeded: ((key ^ (key >> 32)) &* 0x9e37_79b9_7f4a_7c15) >> shift)
  }

  /// Returns the slot of the key, or the empty slot for it.
  private func place(of key: UInt64) -> Int {
    var place = home(of: key)
    while places[place].number != Place.vacant.number, places[place].key != key {
      place = (place + 1) & (places.count - 1)
    }
    return place
  }

  private mutating func grow() {
    let former = places
    let size = max(1024, former.count * 2)
    places = [Place](repeating: .vacant, count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for entry in former where entry.number != Place.vacant.number {
      places[place(of: entry.key)] = entry
    }
  }
}
