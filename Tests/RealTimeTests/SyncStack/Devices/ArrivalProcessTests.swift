import CacheModel
import Testing

@testable import RealTime

@Suite("Arrivals")
struct ArrivalProcessTests {
  private func arrivals(seed: UInt64, count: Int = 20_000) -> [Int64] {
    ArrivalProcess(count: count, perSecond: 1_000, random: RandomSource(seed: seed)).offsets
  }

  @Test("The seed decides")
  func seeded() {
    #expect(arrivals(seed: 3) == arrivals(seed: 3))
    #expect(arrivals(seed: 3) != arrivals(seed: 4))
    #expect(arrivals(seed: 3, count: 10) == Array(arrivals(seed: 3).prefix(10)))
  }

  @Test("Intervals are exponential: mean as asked, variance the square of it, no memory")
  func distribution() {
    let offsets = arrivals(seed: 1)
    let gaps = zip([0] + offsets, offsets).map { Double($1 - $0) }
    #expect(gaps.allSatisfy { $0 >= 0 })
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    // 20,000 draws: five standard errors are 3.5 % of the mean.
    #expect(abs(mean - 1_000_000) < 35_000)
    #expect(abs(variance / (mean * mean) - 1) < 0.1)
    let short = gaps.count { $0 < 693_147 }
    #expect(abs(Double(short) / Double(gaps.count) - 0.5) < 0.02)
    // Neighbouring intervals are not correlated.
    let products = zip(gaps, gaps.dropFirst()).map { ($0 - mean) * ($1 - mean) }
    #expect(abs(products.reduce(0, +) / Double(products.count) / variance) < 0.04)
  }
}
