import Analysis
import Testing

/// How often the rule is wrong, and how often it decides, where the truth is known.
@Suite("Selections, many times each")
struct ReplicationTests {
  /// How far the first contender is ahead of all others, in zones.
  enum Ahead: Double, CaseIterable {
    case notAtAll = 0
    case byTheZone = 1
    case byTwoZones = 2

    func means(_ contenders: Int) -> [Double] {
      [rawValue * Replications.zone] + Array(repeating: 0, count: contenders - 1)
    }
  }

  /// One point: the standard deviation, over seeds, of the difference of two contenders.
  private static let spread = 0.01

  @Test("Normal errors", arguments: [2, 8], Ahead.allCases)
  func normal(contenders: Int, ahead: Ahead) {
    let cell = Replications {
      NormalPopulation(
        means: ahead.means(contenders), spreadOfDifferences: Self.spread, seed: $0)
    }
    #expect(cell.perMille(cell.wrong) <= 60, "\(cell)")
    switch (contenders, ahead) {
    case (2, .notAtAll): #expect(cell.perMille(cell.equivalent) >= 900, "\(cell)")
    case (_, .byTwoZones): #expect(cell.perMille(cell.shippedBest) >= 950, "\(cell)")
    default: break
    }
  }

  @Test("Real seeds, drawn again", arguments: [2, 8], Ahead.allCases)
  func resampled(contenders: Int, ahead: Ahead) throws {
    let all = try SelectionData.seeds(of: "flaky-network")
    let samples =
      contenders == 2 ? all.filter { ["lru", "lru-patient"].contains($0.contender) } : all
    try #require(samples.count == contenders)
    let cell = Replications {
      ResampledPopulation(
        samples, of: .freshHitRatio(), means: ahead.means(contenders), seed: $0)
    }
    #expect(cell.perMille(cell.wrong) <= 60, "\(cell)")
    switch (contenders, ahead) {
    case (2, .notAtAll): #expect(cell.perMille(cell.equivalent) >= 900, "\(cell)")
    case (2, .byTwoZones): #expect(cell.perMille(cell.shippedBest) >= 950, "\(cell)")
    default: break
    }
  }

  @Test("Real seeds, each contender ahead in its turn by a hundredth more than the zone")
  func inTurn() throws {
    let samples = try SelectionData.seeds(of: "flaky-network")
    let cell = Replications { seed in
      var means = samples.map { _ in 0.0 }
      means[Int(seed) % samples.count] = 1.01 * Replications.zone
      return ResampledPopulation(samples, of: .freshHitRatio(), means: means, seed: seed)
    }
    #expect(cell.perMille(cell.wrong) <= 60, "\(cell)")
    #expect(
      cell.perMille(cell.equivalent + cell.notDecided + cell.shippedBest) > 900, "\(cell)")
  }

  // Two contenders that hardly vary beside each other, and one that varies much: each is within the
  // zone of the middle one, and the outer two are a hundredth more than the zone apart.
  @Test("Unequal spreads", arguments: [0.005, 0.01])
  func unequalSpreads(spread: Double) {
    let zone = Replications.zone
    let cell = Replications { seed in
      NormalPopulation(
        means: [0, 0.9 * zone, 1.01 * zone], own: [0.000_3, 0.000_3, spread], common: 0.03,
        seed: seed)
    }
    #expect(cell.perMille(cell.wrong) <= 60, "\(cell)")
  }
}
