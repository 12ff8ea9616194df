/// Tries many settings on little, and few on much: at each rung the better third goes on with three times
/// as much, until three or fewer have all of it.
///
/// (Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization",
/// AISTATS 2016.) What is spent on a setting is seeds as long as there is a whole one; below one seed, a
/// part of its virtual time.
package struct SuccessiveHalving: Hashable, Sendable {
  /// What every setting of a rung is run on.
  package struct Rung: Hashable, Sendable {
    /// How many settings enter it.
    package let settings: Int
    package let seeds: Int
    /// The part of the virtual time: one of so many; 1 for all of it.
    package let divisor: Int
  }

  /// The share that goes on is one of so many.
  package static let factor = 3
  /// A shorter run than this part is another workload.
  package static let maximumDivisor = 9

  package let rungs: [Rung]

  /// - Precondition: settings and seeds are positive.
  package init(settings: Int, seeds: Int) {
    precondition(settings > 0 && seeds > 0, "\(settings) settings on \(seeds) seeds")
    var counts = [settings]
    while let last = counts.last, last > Self.factor {
      counts.append((last + Self.factor - 1) / Self.factor)
    }
    var resources = [(seeds: seeds, divisor: 1)]
    while resources.count < counts.count, let lowest = resources.last {
      if lowest.seeds > 1 {
        resources.append((max(1, lowest.seeds / Self.factor), 1))
      } else if lowest.divisor < Self.maximumDivisor {
        resources.append((1, lowest.divisor * Self.factor))
      } else {
        break
      }
    }
    // With too little to divide, the first rungs that would be equal are one.
    let surplus = counts.count - resources.count
    if surplus > 0 { counts.removeSubrange(1...surplus) }
    rungs = zip(counts, resources.reversed()).map {
      Rung(settings: $0, seeds: $1.seeds, divisor: $1.divisor)
    }
  }

  /// Who goes on to the next rung: the best by score, of equal ones the first; in their order.
  ///
  /// A higher score is better; who has none, since a figure is missing, goes on last.
  package static func survivors(_ scores: [Double?], count: Int) -> [Int] {
    let order = scores.indices.sorted { first, second in
      switch (scores[first], scores[second]) {
      case (let a?, let b?) where a != b: a > b
      case (_?, nil): true
      case (nil, _?): false
      default: first < second
      }
    }
    return order.prefix(count).sorted()
  }
}
