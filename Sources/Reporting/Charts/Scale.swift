import CacheModel

/// A way from values to places in a picture.
struct Scale: Sendable {
  enum Kind: Sendable {
    case linear
    /// Equal factors take equal room; values are positive.
    case logarithmic
  }

  let kind: Kind
  let low: Double
  let high: Double
  /// Where the lowest and the highest value lie.
  let from: Double
  let to: Double

  init(_ values: ClosedRange<Double>, _ kind: Kind = .linear, from: Double, to: Double) {
    self.kind = kind
    low = values.lowerBound
    high = values.upperBound > values.lowerBound ? values.upperBound : values.lowerBound + 1
    self.from = from
    self.to = to
  }

  /// The place of a value; beyond the ends it stays at them.
  func place(_ value: Double) -> Double {
    let value = min(max(value, low), high)
    let share: Double
    switch kind {
    case .linear: share = (value - low) / (high - low)
    case .logarithmic:
      share =
        (PortableMath.log(value) - PortableMath.log(low))
        / (PortableMath.log(high) - PortableMath.log(low))
    }
    return from + share * (to - from)
  }

  /// Round values to mark, at most about so many.
  func ticks(_ count: Int = 5) -> [Double] {
    switch kind {
    case .linear: linearTicks(count)
    case .logarithmic: logarithmicTicks
    }
  }

  private func linearTicks(_ count: Int) -> [Double] {
    let step = Self.roundStep((high - low) / Double(max(count, 1)))
    var tick = (low / step).rounded(.up)
    var ticks: [Double] = []
    while tick * step <= high + step * 1e-9, ticks.count < 50 {
      ticks.append(tick == 0 ? 0 : tick * step)
      tick += 1
    }
    return ticks
  }

  private var logarithmicTicks: [Double] {
    // Of less than a decade too few round powers are left.
    guard high / low > 8 else { return linearTicks(4) }
    var decade = 1.0
    while decade > low { decade /= 10 }
    while decade * 10 <= low { decade *= 10 }
    var ticks: [Double] = []
    let isWide = high / low > 300
    while decade <= high, ticks.count < 50 {
      for factor in isWide ? [1.0] : [1, 2, 5] where (low...high).contains(decade * factor) {
        ticks.append(decade * factor)
      }
      decade *= 10
    }
    return ticks
  }

  /// The smallest of 1, 2, 2.5 and 5 times a power of ten that is no smaller.
  static func roundStep(_ step: Double) -> Double {
    guard step > 0, step.isFinite else { return 1 }
    var decade = 1.0
    while decade > step { decade /= 10 }
    while decade * 10 <= step { decade *= 10 }
    return [1, 2, 2.5, 5, 10].map { $0 * decade }.first { $0 >= step * 0.999_999 } ?? 10 * decade
  }

  /// A range from zero to a round value at or above the highest.
  static func fromZero(to highest: Double, steps: Int = 4) -> ClosedRange<Double> {
    guard highest > 0, highest.isFinite else { return 0...1 }
    let step = roundStep(highest / Double(steps))
    return 0...((highest / step).rounded(.up) * step)
  }
}
