import CacheModel

extension RandomSource {
  /// Draws an index from a list of shares; the last positive one if they sum to less than one.
  mutating func choice(of shares: [Double]) -> Int {
    let point = unit() * shares.reduce(0, +)
    var sum = 0.0
    var last = 0
    for (index, share) in shares.enumerated() where share > 0 {
      sum += share
      last = index
      if point < sum { return index }
    }
    return last
  }

  /// Returns a whole number with the given mean, from a geometric distribution beginning at `minimum`; capped
  /// at 100 times the mean.
  mutating func geometric(mean: Double, minimum: Int = 0) -> Int {
    let excess = mean - Double(minimum)
    let draw = unit()
    guard excess > 0 else { return minimum }
    // P(X ≥ k) = q^k with q = m / (1 + m) has mean m.
    let q = excess / (1 + excess)
    let count = PortableMath.log(1 - draw) / PortableMath.log(q)
    return minimum + Int(min(count, 100 * excess + 1))
  }

  /// Returns a random UUID (version 4).
  mutating func uniqueID() -> UniqueID {
    UniqueID(
      high: next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

/// The times at which a device acts: a Poisson process, and bursts within it.
enum Arrivals {
  /// Returns the times of a Poisson process, in nanoseconds, in order, before `end`.
  static func poisson(
    rate: Double, end: Int64, limit: Int, _ random: inout RandomSource
  ) -> [Int64] {
    guard rate > 0 else { return [] }
    var instants: [Int64] = []
    var at = 0.0
    let mean = 1e9 / rate
    while instants.count < limit {
      at += random.exponential(mean: mean)
      guard at < Double(end) else { break }
      instants.append(Int64(at))
    }
    return instants
  }

  /// Returns the times of bursts, in nanoseconds, in order: their starts are a Poisson process, and within a
  /// burst operations follow each other at the burst's own rate.
  static func bursts(
    _ burst: BurstSection, end: Int64, limit: Int, _ random: inout RandomSource
  ) -> [Int64] {
    let startRate = 1e9 / Double(burst.every.wholeNanoseconds)
    var instants: [Int64] = []
    for start in poisson(rate: startRate, end: end, limit: limit, &random) {
      var at = Double(start)
      for _ in 0..<burst.operations where instants.count < limit {
        guard at < Double(end) else { break }
        instants.append(Int64(at))
        at += random.exponential(mean: 1e9 / burst.rate)
      }
    }
    // Bursts may overlap; operations at equal instants are interchangeable.
    return instants.sorted()
  }
}
