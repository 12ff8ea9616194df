import CacheModel
import Testing

@testable import Workloads

@Suite("Shares of choices")
struct ChoiceFitTests {
  @Test("What may not be chosen each time is no less popular for that")
  func exclusions() {
    var random = RandomSource(seed: 3)
    let truth = [0.5, 0.3, 0.2]
    var last = 0
    var choices: [ChoiceFit.Choice] = []
    for _ in 0..<20_000 {
      var possible = [true, true, true]
      possible[last] = false
      var shares = truth
      shares[last] = 0
      last = random.choice(of: shares)
      choices.append(ChoiceFit.Choice(possible: possible, taken: last))
    }
    let found = ChoiceFit.shares(of: choices, among: 3)
    for (share, wanted) in zip(found, truth) { #expect(abs(share - wanted) < 0.02) }
    // Counted without a look at what was possible, they are more alike.
    let counted = Double(choices.count { $0.taken == 0 }) / 20_000
    #expect(counted < 0.45)
  }

  @Test("An exponent is found though nothing is chosen twice in a row", arguments: [0.7, 1.1])
  func exponents(exponent: Double) throws {
    var random = RandomSource(seed: 4)
    let zipf = Zipf(count: 40, exponent: exponent)
    var last = 0
    var picks: [ChoiceFit.Pick] = []
    for _ in 0..<6_000 {
      var next = last
      while next == last { next = zipf.sample(&random) }
      picks.append(ChoiceFit.Pick(taken: next, excluded: [last]))
      last = next
    }
    let squares = try #require(ChoiceFit.sumOfSquares(of: picks, among: 40))
    #expect(abs(ZipfEstimate.exponent(ofEqualPairs: squares, among: 40) - exponent) < 0.05)
    let plain = ZipfEstimate.exponent(ofRepeats: picks.map { UInt32($0.taken) }, among: 40)
    #expect(exponent - plain > 0.05)
  }

  @Test("Where what is popular goes in time, the number of different ones tells")
  func departures() throws {
    var random = RandomSource(seed: 6)
    let zipf = Zipf(count: 20_000, exponent: 0.9)
    // What goes leaves its popularity to the next in line.
    var isGone = [Bool](repeating: false, count: 20_000)
    var chosen: [UInt32] = []
    for _ in 0..<4_000 {
      var rank = zipf.sample(&random)
      while isGone[rank] { rank += 1 }
      chosen.append(UInt32(rank))
      if random.chance(0.1) { isGone[rank] = true }
    }
    let distinct = Set(chosen).count
    let found = ZipfEstimate.exponent(ofDistinct: distinct, cohorts: [(1, 4_000)], among: 20_000)
    #expect(abs(found - 0.9) < 0.05)
    #expect(abs(ZipfEstimate.exponent(ofRepeats: chosen, among: 20_000) - 0.9) > 0.1)
  }
}
