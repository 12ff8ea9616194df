import CacheModel

/// The exponent of a Zipf distribution, from what was drawn of it.
enum ZipfEstimate {
  /// How far an estimate from so many draws may lie from the truth.
  static func tolerance(of draws: Int) -> Double {
    0.08 + 2.5 / Double(max(1, draws)).squareRoot()
  }

  /// From how often two draws are the same, which needs no ranks.
  ///
  /// The share of equal pairs is an estimate of the sum of squared shares without bias, and that grows with
  /// the exponent.
  static func exponent(ofRepeats chosen: [UInt32], among count: Int) -> Double {
    let sorted = chosen.sorted()
    var pairs = 0.0
    var first = 0
    while first < sorted.count {
      var end = first
      while end < sorted.count, sorted[end] == sorted[first] { end += 1 }
      pairs += Double(end - first) * Double(end - first - 1)
      first = end
    }
    let share = pairs / (Double(chosen.count) * Double(chosen.count - 1))
    return solve { exponent in
      let moments = sums(exponent, count) { $0 }
      return moments.squares / (moments.total * moments.total) - share
    }
  }

  /// From ranks, 0 the most chosen, by their mean logarithm: the estimate of highest likelihood.
  static func exponent(ofRanks ranks: [Int], among count: Int) -> Double {
    let mean =
      ranks.reduce(0.0) { $0 + PortableMath.log(Double($1 + 1)) } / Double(ranks.count)
    return solve { exponent in
      let moments = sums(exponent, count) { PortableMath.log($0) }
      return mean - moments.weighted / moments.total
    }
  }

  /// The exponent between 0 and 4 at which an increasing function of it is zero, by bisection.
  private static func solve(_ function: (Double) -> Double) -> Double {
    var low = 0.0
    var high = 4.0
    for _ in 0..<30 {
      let middle = (low + high) / 2
      // Both sums rise with the exponent: the squares themselves, the logarithms by falling.
      if function(middle) < 0 { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  private static func sums(
    _ exponent: Double, _ count: Int, _ value: (Double) -> Double
  ) -> (total: Double, squares: Double, weighted: Double) {
    var sums = (total: 0.0, squares: 0.0, weighted: 0.0)
    // The tail of a long distribution is even: it is added in steps.
    var rank = 1
    while rank <= count {
      let step = rank < 1_000 ? 1 : min(rank / 500, count - rank + 1)
      let middle = Double(rank) + Double(step - 1) / 2
      let weight = PortableMath.exp(-exponent * PortableMath.log(middle))
      sums.total += weight * Double(step)
      sums.squares += weight * weight * Double(step)
      sums.weighted += weight * value(middle) * Double(step)
      rank += step
    }
    return sums
  }
}
