/// Numbers 64-bit integers: open addressing with linear probes, at most half full.
struct IntegerTable: Sendable {
  private var keys: [UInt64] = []
  private var numbers: [UInt32] = []
  private var count = 0
  private var shift: UInt64 = 64

  private static let vacant = UInt32.max

  /// The number of a key: as given before, or `fresh` if the key is new.
  mutating func number(of key: UInt64, ifNew fresh: UInt32) -> UInt32 {
    if count * 2 >= keys.count { grow() }
    let place = place(of: key)
    if numbers[place] == Self.vacant {
      keys[place] = key
      numbers[place] = fresh
      count += 1
    }
    return numbers[place]
  }

  /// Where the key is, or the vacant place where it belongs.
  private func place(of key: UInt64) -> Int {
    // Fibonacci hashing; the fold lets high bits of the key reach all bits of the product.
    var place = Int(((key ^ (key >> 32)) &* 0x9e37_79b9_7f4a_7c15) >> shift)
    while numbers[place] != Self.vacant, keys[place] != key {
      place = (place + 1) & (keys.count - 1)
    }
    return place
  }

  private mutating func grow() {
    let (oldKeys, oldNumbers) = (keys, numbers)
    let size = max(1024, keys.count * 2)
    keys = [UInt64](repeating: 0, count: size)
    numbers = [UInt32](repeating: Self.vacant, count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for (key, number) in zip(oldKeys, oldNumbers) where number != Self.vacant {
      let place = place(of: key)
      keys[place] = key
      numbers[place] = number
    }
  }
}
