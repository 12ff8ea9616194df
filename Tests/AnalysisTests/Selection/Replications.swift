import Analysis
import CacheTestSupport

/// What many selections among contenders of known means came to.
struct Replications: CustomStringConvertible {
  /// Half a point.
  static let zone = 0.005
  static let count = UInt64(Trials.count(250, of: 1_000))

  private(set) var shippedBest = 0
  private(set) var equivalent = 0
  private(set) var notDecided = 0
  /// Shipped what is worse than the best by the zone or more, or called equivalent what differs by it.
  private(set) var wrong = 0
  private(set) var seeds = 0
  private var count: UInt64

  /// A difference of exactly the zone counts as one beyond it: there it is hardest to see.
  init(
    count: UInt64 = Self.count, zone: Double = Self.zone,
    of population: (_ seed: UInt64) -> some Population
  ) {
    self.count = count
    for seed in 0..<count {
      var population = population(seed)
      let verdict = population.select(zone: zone)
      let means = population.means
      let best = means.max() ?? 0
      let named = verdict.acceptable.compactMap { name in
        population.names.firstIndex(of: name).map { means[$0] }
      }
      seeds += verdict.seeds
      let beyond = zone * (1 - 1e-9)
      switch verdict.outcome {
      case .ship:
        let mean = named.first ?? -.infinity
        if mean == best { shippedBest += 1 }
        if best - mean >= beyond { wrong += 1 }
      case .equivalent:
        equivalent += 1
        if best - (named.min() ?? -.infinity) >= beyond { wrong += 1 }
      default: notDecided += 1
      }
    }
  }

  /// How many of a thousand that is.
  func perMille(_ times: Int) -> Double { 1_000 * Double(times) / Double(count) }

  var description: String {
    "\(shippedBest) shipped the best, \(equivalent) equivalent, \(notDecided) not decided, "
      + "\(wrong) wrong, \(seeds) seeds"
  }
}
