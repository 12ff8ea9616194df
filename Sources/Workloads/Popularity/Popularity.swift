import CacheModel

/// Which of a fixed number of things is chosen: the most popular has rank 0.
enum Popularity: Sendable {
  case uniform(count: Int)
  case zipf(Zipf)
  /// The first `hot` ranks get the share `access` of the choices.
  case hotspot(count: Int, hot: Int, access: Double)

  /// The distribution of a scenario over `count` things; `nil` if there are none.
  init?(_ section: PopularitySection, count: Int) {
    guard count > 0 else { return nil }
    switch section.distribution {
    case .uniform: self = .uniform(count: count)
    case .zipf: self = .zipf(Zipf(count: count, exponent: section.exponent))
    case .hotspot:
      let hot = min(count, max(1, Int(section.hotShare * Double(count))))
      self = .hotspot(count: count, hot: hot, access: section.hotAccess)
    }
  }

  func sample(_ random: inout RandomSource) -> Int {
    switch self {
    case .uniform(let count): random.below(count)
    case .zipf(let zipf): zipf.sample(&random)
    case .hotspot(let count, let hot, let access):
      if random.chance(access) || hot == count {
        random.below(hot)
      } else {
        hot + random.below(count - hot)
      }
    }
  }
}
