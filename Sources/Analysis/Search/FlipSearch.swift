/// Finds where the best contender changes along one field, by bisection.
///
/// A state machine over positions from 0 to 1: ``next`` is the next position to measure, ``record(_:_:)``
/// receives the values. Between two measured positions with different leaders there is at least one change;
/// it is narrowed down to ``resolution``. Then the ends of its interval are: where one side stops, and the
/// other begins, to be significantly ahead on the common seeds. Two changes between positions with the same
/// leader remain undetected: begin with enough positions.
package struct FlipSearch: Sendable {
  package let contenders: [String]
  package let direction: Goal.Direction
  package let resolution: Double
  private var measured: [Measured] = []

  private struct Measured: Sendable {
    let place: Double
    /// The values of each contender, by seed.
    let values: [[Double]]
    let leader: Int
  }

  package struct Flip: Hashable, Sendable {
    package let before: String
    package let after: String
    /// The positions between which the means change order.
    package let low: Double
    package let high: Double
    /// The last position at which the previous leader is significantly ahead; `nil`: none was measured.
    package let sureBefore: Double?
    /// The first position at which the next leader is significantly ahead.
    package let sureAfter: Double?
  }

  /// - Precondition: at least two contenders, and a resolution above 0.
  package init(contenders: [String], direction: Goal.Direction, resolution: Double) {
    precondition(contenders.count > 1 && resolution > 0, "a change takes two sides and a scale")
    self.contenders = contenders
    self.direction = direction
    self.resolution = resolution
  }

  /// Records the values of every contender at a position, by seed.
  ///
  /// - Precondition: at least two seeds, the same for all.
  package mutating func record(_ place: Double, _ values: [[Double]]) {
    precondition(
      values.count == contenders.count && values.allSatisfy { $0.count == values[0].count }
        && values[0].count > 1, "every contender has a value for each seed")
    let sums = values.map { $0.reduce(0, +) }
    let leader = sums.indices.reduce(0) { best, index in
      let isBetter = direction == .maximise ? sums[index] > sums[best] : sums[index] < sums[best]
      return isBetter ? index : best
    }
    measured.removeAll { $0.place == place }
    measured.append(Measured(place: place, values: values, leader: leader))
    measured.sort { $0.place < $1.place }
  }

  /// The leader at each measured position, ascending.
  package var leaders: [(place: Double, leader: String)] {
    measured.map { ($0.place, contenders[$0.leader]) }
  }

  /// The next position to measure; `nil` when everything found has the requested resolution.
  package var next: Double? {
    for (left, right) in pairs where left.leader != right.leader && isWide(left, right) {
      return (left.place + right.place) / 2
    }
    for (index, pair) in pairs.enumerated() where pair.0.leader != pair.1.leader {
      let (before, after) = (pair.0.leader, pair.1.leader)
      if let sure = lastSure(before, over: after, through: index),
        isWide(measured[sure], measured[sure + 1])
      {
        return (measured[sure].place + measured[sure + 1].place) / 2
      }
      if let sure = firstSure(after, over: before, from: index + 1),
        isWide(measured[sure - 1], measured[sure])
      {
        return (measured[sure - 1].place + measured[sure].place) / 2
      }
    }
    return nil
  }

  /// The changes found so far, ascending.
  package var flips: [Flip] {
    pairs.enumerated().compactMap { index, pair in
      let (left, right) = pair
      guard left.leader != right.leader else { return nil }
      let before = lastSure(left.leader, over: right.leader, through: index)
      let after = firstSure(right.leader, over: left.leader, from: index + 1)
      return Flip(
        before: contenders[left.leader], after: contenders[right.leader], low: left.place,
        high: right.place, sureBefore: before.map { measured[$0].place },
        sureAfter: after.map { measured[$0].place })
    }
  }

  private var pairs: [(Measured, Measured)] { Array(zip(measured, measured.dropFirst())) }

  private func isWide(_ left: Measured, _ right: Measured) -> Bool {
    right.place - left.place > resolution
  }

  private func lastSure(_ one: Int, over other: Int, through index: Int) -> Int? {
    measured[...index].lastIndex { isAhead(one, of: other, in: $0) }
  }

  private func firstSure(_ one: Int, over other: Int, from index: Int) -> Int? {
    measured[index...].firstIndex { isAhead(one, of: other, in: $0) }
  }

  private func isAhead(_ one: Int, of other: Int, in place: Measured) -> Bool {
    guard let lead = PairedInterval(of: place.values[one], less: place.values[other]) else {
      return false
    }
    return direction == .maximise ? lead.low > 0 : lead.high < 0
  }
}
