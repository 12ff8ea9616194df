import CacheModel

/// Which knobs matter at all, from few runs: one knob at a time is turned from many starting points.
///
/// (Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33, 1991;
/// the mean of magnitudes after Campolongo, Cariboni and Saltelli, "An effective screening design for
/// sensitivity analysis of large models", 2007.)
package struct MorrisScreening: Hashable, Sendable {
  package let dimensions: Int
  package let trajectories: Int
  package let seed: UInt64

  /// Values of each knob that are used.
  private static let levels = 4

  package init(dimensions: Int, trajectories: Int, seed: UInt64) {
    precondition(dimensions > 0 && trajectories > 0, "a screening turns knobs")
    self.dimensions = dimensions
    self.trajectories = trajectories
    self.seed = seed
  }

  /// A trajectory has a point more than there are knobs.
  package var count: Int { trajectories * (dimensions + 1) }

  /// A point of the design, in the middle of one of four equal parts of each axis.
  package func point(_ number: Int) -> [Double] {
    let (start, order) = trajectory(number / (dimensions + 1))
    var levels = start
    for knob in order.prefix(number % (dimensions + 1)) { levels[knob] = Self.turned(levels[knob]) }
    return levels.map { (Double($0) + 0.5) / Double(Self.levels) }
  }

  /// Half of the range further, down where that would leave it.
  private static func turned(_ level: Int) -> Int { (level + levels / 2) % levels }

  private func trajectory(_ number: Int) -> (start: [Int], order: [Int]) {
    var stream = RandomSource(seed: seed).substream("morris trajectory", UInt64(number))
    let start = (0..<dimensions).map { _ in stream.below(Self.levels) }
    var order = Array(0..<dimensions)
    for last in stride(from: dimensions - 1, to: 0, by: -1) {
      order.swapAt(last, stream.below(last + 1))
    }
    return (start, order)
  }

  /// What turning a knob by half of its range does.
  package struct Effect: Hashable, Sendable {
    package let knob: Int
    /// μ*: the mean of the magnitudes, with its interval; `nil` of a single trajectory.
    package let magnitude: MeanInterval?
    /// μ: the mean with its sign; small against μ* where the effect turns about.
    package let mean: Double
    /// σ: large where the effect depends on the other knobs, or is not linear.
    package let deviation: Double
  }

  /// One effect for each knob, in their order, from the values of the points in theirs; a trajectory with a
  /// missing value is left out of the knobs that it concerns.
  package func effects(_ values: [Double?]) -> [Effect] {
    precondition(values.count == count, "a screening has \(count) points")
    var changes = [[Double]](repeating: [], count: dimensions)
    for number in 0..<trajectories {
      let (start, order) = trajectory(number)
      for (step, knob) in order.enumerated() {
        let place = number * (dimensions + 1) + step
        guard let before = values[place], let after = values[place + 1] else { continue }
        let isUp = Self.turned(start[knob]) > start[knob]
        changes[knob].append(isUp ? after - before : before - after)
      }
    }
    return changes.enumerated().map { knob, changes in
      let interval = MeanInterval(of: changes)
      return Effect(
        knob: knob, magnitude: MeanInterval(of: changes.map(\.magnitude)),
        mean: interval?.mean ?? changes.first ?? 0, deviation: interval?.standardDeviation ?? 0)
    }
  }
}
