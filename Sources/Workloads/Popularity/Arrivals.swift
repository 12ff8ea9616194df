import CacheModel

/// The instants at which a device acts: a Poisson process, and bursts within it.
enum Arrivals {
  /// Instants of a Poisson process, in nanoseconds, in order, before `end`.
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

  /// Instants of bursts, in nanoseconds, in order: the starts are a Poisson process, and within a
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
    // Bursts may overlap; equal instants stand for interchangeable operations.
    return instants.sorted()
  }
}
