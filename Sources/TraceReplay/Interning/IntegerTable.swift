/// Numbers 64-bit integers: open addressing with linear probes, at most half full.
struct IntegerTable: Sendable {
  private struct Place: Sendable, BitwiseCopyable {
    var key: UInt64
    var number: UInt32

    static let vacant = Place(key: 0, number: .max)
  }

  /// A key and its number share a cache line.
  private var places: [Place] = []
  private var count = 0
  private var shift: UInt64 = 64

  /// The number of a key: as given before, or `fresh` if the key is new.
  mutating func number(of key: UInt64, ifNew fresh: UInt32) -> UInt32 {
    if count * 2 >= places.count { grow() }
    let place = place(of: key)
    let number = places[place].number
    guard number == Place.vacant.number else { return number }
    places[place] = Place(key: key, number: fresh)
    count += 1
    return fresh
  }

  /// Asks for the memory that a search for the key will read.
  func prefetch(_ key: UInt64) {
    guard !places.isEmpty else { return }
    places.span.prefetch(home(of: key))
  }

  /// The bytes that it takes, with those of the next size if that is near.
  var bytesToGrow: Int {
    places.count * MemoryLayout<Place>.stride * (count * 8 > places.count * 3 ? 3 : 1)
  }

  private func home(of key: UInt64) -> Int {
    // Fibonacci hashing; the fold lets high bits of the key reach all bits of the product.
    Int(truncatingIfNeeded: ((key ^ (key >> 32)) &* 0x9e37_79b9_7f4a_7c15) >> shift)
  }

  /// Where the key is, or the vacant place where it belongs.
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
