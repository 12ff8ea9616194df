import CacheModel
import Testing

@testable import Analysis

/// Functions whose indices are known.
private enum Known {
  /// From a place in 0 ..< 1: sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁ over −π … π (Ishigami and Homma, 1990).
  static func ishigami(_ point: [Double]) -> Double {
    let x = point.map { (2 * $0 - 1) * Double.pi }
    let first = sine(x[0])
    return first + 7 * sine(x[1]) * sine(x[1]) + 0.1 * x[2] * x[2] * x[2] * x[2] * first
  }

  /// In tests alone; 1e-9 over −π … π is enough.
  private static func sine(_ x: Double) -> Double {
    var term = x
    var sum = 0.0
    for power in stride(from: 1.0, to: 40, by: 2) {
      sum += term
      term *= -x * x / ((power + 1) * (power + 2))
    }
    return sum
  }
}

@Suite("Which knob matters")
struct ImportanceTests {
  @Test("The shares of Ishigami's function lie in their intervals")
  func ishigami() throws {
    let design = VarianceShares(dimensions: 3, rows: 2_048, seed: 4)
    let values = (0..<design.count).map { Known.ishigami(design.point($0)) }
    let shares = try #require(design.shares(values))
    // From the closed form: S1 0.314, S2 0.442, S3 0; ST1 0.558, ST2 0.442, ST3 0.244.
    let alone = [0.3139, 0.4424, 0]
    let inAll = [0.5576, 0.4424, 0.2437]
    for knob in 0..<3 {
      #expect(abs(shares[knob].alone.value - alone[knob]) < 0.03, "\(shares[knob])")
      #expect(abs(shares[knob].inAll.value - inAll[knob]) < 0.03, "\(shares[knob])")
      #expect(shares[knob].alone.low <= alone[knob] && alone[knob] <= shares[knob].alone.high)
      #expect(shares[knob].inAll.low <= inAll[knob] && inAll[knob] <= shares[knob].inAll.high)
    }
    #expect(shares[2].alone.isNothing && !shares[2].inAll.isNothing)
  }

  @Test("What never changes has no shares, and a row without a value is left out")
  func withoutVariance() throws {
    let design = VarianceShares(dimensions: 2, rows: 8, seed: 1)
    #expect(design.shares(Array(repeating: 3.0, count: design.count)) == nil)
    var values = (0..<design.count).map { Optional(design.point($0)[0]) }
    values[0] = nil
    let shares = try #require(design.shares(values))
    #expect(shares[1].inAll.value == 0)
    #expect(design.shares(Array(repeating: nil, count: design.count)) == nil)
  }

  @Test("A screening finds the slope of each knob, and which depends on another")
  func morris() throws {
    let design = MorrisScreening(dimensions: 4, trajectories: 40, seed: 2)
    let effects = design.effects(
      (0..<design.count).map { number in
        let x = design.point(number)
        return 4 * x[0] - 2 * x[1] + 8 * x[2] * x[0]
      })
    // Half of the range of knob 1 moves it by 1, always; of knob 3 by nothing.
    let second = try #require(effects[1].magnitude)
    #expect(abs(second.mean - 1) < 1e-9 && second.halfWidth < 1e-9)
    #expect(abs(effects[1].mean + 1) < 1e-9)
    #expect(effects[1].deviation < 1e-9)
    #expect(effects[3].magnitude?.high == 0)
    #expect(effects[2].deviation > 0.5)
    #expect(abs(effects[0].mean - (2 + 4 * 0.5)) < 0.5)
  }

  @Test("A trajectory turns each knob once")
  func trajectory() {
    let design = MorrisScreening(dimensions: 5, trajectories: 3, seed: 8)
    #expect(design.count == 18)
    for number in 0..<3 {
      let points = (0..<6).map { design.point(number * 6 + $0) }
      var turned: [Int] = []
      for (one, next) in zip(points, points.dropFirst()) {
        let changed = one.indices.filter { one[$0] != next[$0] }
        #expect(changed.count == 1)
        #expect(changed.allSatisfy { abs(one[$0] - next[$0]) == 0.5 })
        turned += changed
      }
      #expect(turned.sorted() == [0, 1, 2, 3, 4])
    }
  }
}
