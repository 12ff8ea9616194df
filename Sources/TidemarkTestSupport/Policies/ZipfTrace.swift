import CacheModel

/// A generated trace of independent requests: the key of rank r is asked for in proportion to 1 / rᵃ.
///
/// For tests of small size: a draw is a binary search in a table. Keys are numbered by first
/// appearance.
package struct ZipfTrace: Sendable {
  package private(set) var ids: [UInt32] = []
  /// How many keys appear.
  package private(set) var distinct = 0

  package init(requests: Int, keys: Int, exponent: Double = 1, seed: UInt64) {
    var random = RandomSource(seed: seed).substream("zipf-trace")
    var cumulative: [Double] = []
    var total = 0.0
    for rank in 1...keys {
      total += 1 / PortableMath.pow(Double(rank), exponent)
      cumulative.append(total)
    }
    var numbers = [UInt32?](repeating: nil, count: keys)
    ids.reserveCapacity(requests)
    for _ in 0..<requests {
      let key = Self.firstIndex(in: cumulative, above: random.unit() * total)
      if let number = numbers[key] {
        ids.append(number)
      } else {
        numbers[key] = UInt32(distinct)
        ids.append(UInt32(distinct))
        distinct += 1
      }
    }
  }

  private static func firstIndex(in cumulative: [Double], above value: Double) -> Int {
    var low = 0
    var high = cumulative.count - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
