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
    /// All contenders with the best sum.
    let best: [Int]
  }

  /// Equal leaders are joined: `lru = refcount`.
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
    let most = direction == .maximise ? sums.max() : sums.min()
    measured.removeAll { $0.place == place }
    measured.append(
      Measured(place: place, values: values, best: sums.indices.filter { sums[$0] == most }))
    measured.sort { $0.place < $1.place }
  }

  /// The leader at each measured position, ascending.
  package var leaders: [(place: Double, leader: String)] {
    zip(measured, stretches).map { ($0.place, name($1)) }
  }

  /// For each measured position, the contenders that are best on the whole stretch that it is part of: the
  /// ranking changes where none of them is best anymore.
  private var stretches: [[Int]] {
    var stretches: [(count: Int, leaders: [Int])] = []
    for point in measured {
      let kept = (stretches.last?.leaders ?? []).filter(point.best.contains)
      if kept.isEmpty {
        stretches.append((1, point.best))
      } else {
        stretches[stretches.count - 1].count += 1
        stretches[stretches.count - 1].leaders = kept
      }
    }
    return stretches.flatMap { Array(repeating: $0.leaders, count: $0.count) }
  }

  private func name(_ leaders: [Int]) -> String {
    leaders.map { contenders[$0] }.joined(separator: " = ")
  }

  /// The places in ``measured`` after which the ranking changes, with the leaders before and after.
  private var changes: [(index: Int, before: [Int], after: [Int])] {
    let stretches = stretches
    return measured.indices.dropLast().compactMap { index in
      stretches[index] == stretches[index + 1]
        ? nil : (index, stretches[index], stretches[index + 1])
    }
  }

  /// The next position to measure; `nil` when everything found has the requested resolution.
  package var next: Double? {
    let changes = changes
    if let wide = changes.first(where: { isWide($0.index) }) { return middle(wide.index) }
    for (index, before, after) in changes {
      if let sure = lastSure(before, over: after, through: index), isWide(sure) {
        return middle(sure)
      }
      if let sure = firstSure(after, over: before, from: index + 1), isWide(sure - 1) {
        return middle(sure - 1)
      }
    }
    return nil
  }

  /// The changes found so far, ascending.
  package var flips: [Flip] {
    changes.map { index, before, after in
      let last = lastSure(before, over: after, through: index)
      let first = firstSure(after, over: before, from: index + 1)
      return Flip(
        before: name(before), after: name(after), low: measured[index].place,
        high: measured[index + 1].place, sureBefore: last.map { measured[$0].place },
        sureAfter: first.map { measured[$0].place })
    }
  }

  private func middle(_ index: Int) -> Double {
    (measured[index].place + measured[index + 1].place) / 2
  }

  private func isWide(_ index: Int) -> Bool {
    measured[index + 1].place - measured[index].place > resolution
  }

  private func lastSure(_ ones: [Int], over others: [Int], through index: Int) -> Int? {
    measured[...index].lastIndex { areAhead(ones, of: others, in: $0) }
  }

  private func firstSure(_ ones: [Int], over others: [Int], from index: Int) -> Int? {
    measured[index...].firstIndex { areAhead(ones, of: others, in: $0) }
  }

  private func areAhead(_ ones: [Int], of others: [Int], in place: Measured) -> Bool {
    ones.allSatisfy { one in others.allSatisfy { isAhead(one, of: $0, in: place) } }
  }

  private func isAhead(_ one: Int, of other: Int, in place: Measured) -> Bool {
    guard let lead = PairedInterval(of: place.values[one], less: place.values[other]) else {
      return false
    }
    return direction == .maximise ? lead.low > 0 : lead.high < 0
  }
}
