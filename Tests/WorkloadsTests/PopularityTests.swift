import CacheModel
import Testing

@testable import Workloads

@Suite("Popularity and arrivals")
struct PopularityTests {
  @Test("Zipf frequencies follow the law", arguments: [0.5, 0.9, 1.0, 1.2, 2.0])
  func zipf(exponent: Double) {
    let count = 1_000
    let draws = 200_000
    let zipf = Zipf(count: count, exponent: exponent)
    var random = RandomSource(seed: 11)
    var frequencies = [Int](repeating: 0, count: count)
    for _ in 0..<draws { frequencies[zipf.sample(&random)] += 1 }
    var weights = (1...count).map { PortableMath.pow(Double($0), -exponent) }
    let total = weights.reduce(0, +)
    weights = weights.map { $0 / total }
    // Ranks in groups, each expected often enough for the normal approximation: five deviations.
    var first = 0
    while first < count {
      let last = min(count, max(first + 1, first * 2))
      let expected = weights[first..<last].reduce(0, +) * Double(draws)
      let seen = Double(frequencies[first..<last].reduce(0, +))
      let deviation = (expected * (1 - expected / Double(draws))).squareRoot()
      #expect(abs(seen - expected) < 5 * deviation + 1, "ranks \(first)..<\(last)")
      first = last
    }
    let distinct = frequencies.count { $0 > 0 }
    let expectedDistinct = weights.reduce(0.0) {
      $0 + 1 - PortableMath.exp(Double(draws) * PortableMath.log(1 - $1))
    }
    #expect(abs(Double(distinct) - expectedDistinct) < 30)
  }

  @Test("One thing is always chosen", arguments: [0.5, 1.0, 2.0])
  func single(exponent: Double) {
    let zipf = Zipf(count: 1, exponent: exponent)
    var random = RandomSource(seed: 5)
    for _ in 0..<100 { #expect(zipf.sample(&random) == 0) }
  }

  @Test("Poisson arrivals have the rate, and the spread of the exponential")
  func poisson() {
    var random = RandomSource(seed: 9)
    let instants = Arrivals.poisson(
      rate: 50, end: 1_000_000_000_000, limit: .max, &random)
    #expect(abs(instants.count - 50_000) < 1_200)
    #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 <= $1 })
    let gaps = zip(instants, instants.dropFirst()).map { Double($1 - $0) / 1e9 }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect(abs(mean - 0.02) < 0.000_5)
    #expect(abs(variance.squareRoot() / mean - 1) < 0.03)
  }

  @Test("Bursts are trains of operations at their own rate")
  func bursts() {
    var burst = BurstSection()
    burst.every = .seconds(100)
    burst.operations = 10
    burst.rate = 100
    var random = RandomSource(seed: 2)
    let instants = Arrivals.bursts(burst, end: 100_000_000_000_000, limit: .max, &random)
    let close = zip(instants, instants.dropFirst()).count { $1 - $0 < 1_000_000_000 }
    // Nine of ten gaps are within a burst.
    #expect(abs(Double(close) / Double(instants.count) - 0.9) < 0.02)
    #expect(abs(instants.count - 10_000) < 1_000)
  }

  @Test("Geometric counts have their mean and minimum", arguments: [(2.5, 0), (3.0, 1), (1.0, 1)])
  func geometric(mean: Double, minimum: Int) {
    var random = RandomSource(seed: 4)
    var sum = 0
    var least = Int.max
    for _ in 0..<100_000 {
      let draw = random.geometric(mean: mean, minimum: minimum)
      sum += draw
      least = min(least, draw)
    }
    #expect(abs(Double(sum) / 100_000 - mean) < 0.05)
    #expect(least == minimum)
  }

  @Test("Names leave plausible numbers of files under a prefix")
  func names() {
    let source = NameSource()
    var random = RandomSource(seed: 8)
    let names = (0..<20_000).map { _ in source.name(&random) }
    #expect(names.allSatisfy { LetterCode.encode(LetterCode.decode($0)) == $0 })
    #expect(names.allSatisfy { LetterCode.letterCount($0) >= 6 })
    let name = names[0]
    var before = names.count + 1
    for letters in 1...6 {
      let range = LetterCode.range(
        ofPrefix: LetterCode.prefix(name, letters: letters), letters: letters)
      let found = names.count { range.contains($0) }
      #expect(found >= 1 && found <= before)
      before = found
    }
    #expect(Set(names.map { LetterCode.prefix($0, letters: 3) }).count > 300)
  }
}
