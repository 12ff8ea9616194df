import CacheModel
import Testing

@testable import Analysis

@Suite("The signed-rank test")
struct SignedRankTests {
  /// The chance by trying every way in which the signs could have fallen.
  private static func exhaustive(_ differences: [Double]) -> Double {
    let order = differences.indices.sorted { abs(differences[$0]) < abs(differences[$1]) }
    let positive = order.enumerated().filter { differences[$0.element] > 0 }
      .reduce(0) { $0 + $1.offset + 1 }
    let count = differences.count
    let total = count * (count + 1) / 2
    let distance = abs(2 * positive - total)
    let ways = 1 << count
    let extreme = (0..<ways).count { signs in
      let sum = (0..<count).reduce(0) { $0 + (signs >> $1 & 1 == 1 ? $1 + 1 : 0) }
      return abs(2 * sum - total) >= distance
    }
    return Double(extreme) / Double(ways)
  }

  @Test("The probability is over all assignments of the signs", arguments: 1...12)
  func chance(count: Int) {
    var random = RandomSource(seed: UInt64(count))
    for _ in 0..<50 {
      let centre = random.unit() - 0.5
      let differences = (0..<count).map { _ in centre + random.unit() - 0.5 }
      let expected = Self.exhaustive(differences)
      #expect(abs(SignedRank(of: differences).pValue - expected) < 1e-12)
    }
  }

  @Test("Twelve differences of one sign have the smallest chance of twelve")
  func oneSign() {
    let test = SignedRank(of: (1...12).map(Double.init))
    #expect(test.pValue == 2.0 / 4_096)
    #expect(test.estimate == 6.5)
  }

  /// Conover, "Practical Nonparametric Statistics", table A12: of ten pairs, 8 is the largest sum of ranks
  /// that is too small at 2.5 % to one side, so the interval leaves out eight of the means on each.
  @Test("The interval cuts as many means as the published table")
  func publishedTable() throws {
    let differences = (0..<10).map { Double(1 << $0) }
    let means = differences.indices.flatMap { first in
      (first..<10).map { (differences[first] + differences[$0]) / 2 }
    }.sorted()
    let interval = try #require(SignedRank(of: differences).interval(level: 0.95))
    #expect(interval == means[8]...means[means.count - 9])
  }

  @Test("The interval holds the centre as often as it says")
  func coverage() {
    var random = RandomSource(seed: 7)
    let trials = 4_000
    let held = (0..<trials).count { _ in
      // Symmetric about 1, with long tails.
      let differences = (0..<12).map { _ in
        1 + random.exponential(mean: 1) * (random.chance(0.5) ? 1 : -1)
      }
      return SignedRank(of: differences).interval(level: 0.95)?.contains(1) == true
    }
    // Exactly 1 - 2 × 107 / 4096 = 94.8 % by the distribution, or 95.2 %; three standard errors are 1 %.
    #expect((0.94...0.965).contains(Double(held) / Double(trials)))
  }

  @Test("Differences of zero make it less sure")
  func zeros() {
    let sure = SignedRank(of: [1, 2, 3, 4, 5, 6, 7, 8])
    let lessSure = SignedRank(of: [0, 2, 3, 4, 5, 6, 7, 8])
    #expect(lessSure.pValue > sure.pValue)
    #expect(SignedRank(of: [0, 0, 0]).pValue == 1)
  }

  @Test("Too few differences have no interval")
  func few() {
    #expect(SignedRank(of: [1, 2, 3, 4, 5]).interval(level: 0.95) == nil)
    #expect(SignedRank(of: [1, 2, 3, 4, 5, 6]).interval(level: 0.95) != nil)
  }
}

@Suite("Holm's correction")
struct HolmCorrectionTests {
  @Test("Each is multiplied by how many are left, and none is below a smaller one")
  func example() {
    let adjusted = HolmCorrection.adjusted([0.01, 0.04, 0.03, 0.005])
    #expect(zip(adjusted, [0.03, 0.06, 0.06, 0.02]).allSatisfy { abs($0 - $1) < 1e-12 })
    #expect(HolmCorrection.adjusted([0.9, 0.8]) == [1, 1])
    #expect(HolmCorrection.adjusted([]) == [])
  }
}
