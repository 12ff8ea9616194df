import Analysis
import CacheModel
import Metrics
import Testing

@Suite("Winner of a scenario")
struct WinnerTests {
  private func contender(
    _ policy: String, _ ratio: Double, bytes: Double = 0, weight: Double = 0
  ) -> Contender {
    Contender(policy: policy, freshHitRatio: ratio, bytesFetched: bytes, peakResidentWeight: weight)
  }

  @Test("fresh hits decide beyond a tenth of a point")
  func freshHits() throws {
    let winner = try #require(
      Winner(among: [contender("ttl", 0.5), contender("lru", 0.52, bytes: 9)]))
    #expect(winner.winner.policy == "lru")
    #expect(winner.runnerUp?.policy == "ttl")
    #expect(winner.decidedBy == .freshHitRatio)
    let margin = try #require(winner.marginInFreshHitRatio)
    #expect(abs(margin - 0.02) < 1e-12)
  }

  @Test("within a tenth of a point bytes decide, then weight")
  func ties() throws {
    let bytes = try #require(
      Winner(among: [contender("lru", 0.9009, bytes: 10), contender("sieve", 0.9001, bytes: 9)]))
    #expect(bytes.winner.policy == "sieve")
    #expect(bytes.decidedBy == .bytesFetched)
    let weight = try #require(
      Winner(among: [
        contender("lru", 0.9, bytes: 9, weight: 2), contender("ttl", 0.9, bytes: 9, weight: 1),
      ]))
    #expect(weight.winner.policy == "ttl")
    #expect(weight.decidedBy == .peakResidentWeight)
  }

  @Test("bytes that would be printed alike decide nothing")
  func tieInBytes() throws {
    let alike = [
      contender("lru", 0.9, bytes: 12_171_583), contender("lru-full", 0.9, bytes: 12_171_483),
    ]
    let winner = try #require(Winner(among: alike))
    #expect(winner.winner.policy == "lru")
    #expect(winner.decidedBy == .none)
    let apart = try #require(Winner(among: alike + [contender("sieve", 0.9, bytes: 12_150_000)]))
    #expect(apart.winner.policy == "sieve")
    #expect(apart.decidedBy == .bytesFetched)
  }

  @Test("equal in everything: the first is named and nothing is claimed")
  func indistinguishable() throws {
    let winner = try #require(Winner(among: [contender("b", 0.9), contender("a", 0.9)]))
    #expect(winner.winner.policy == "b")
    #expect(winner.decidedBy == .none)
    let alone = try #require(Winner(among: [contender("a", 0.9)]))
    #expect(alone.runnerUp == nil)
    #expect(alone.decidedBy == .none)
    #expect(Winner(among: []) == nil)
  }

  @Test("no contender is a tenth of a point better than the winner", arguments: 0..<30)
  func neverFarFromTheBest(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let contenders = (0..<6).map {
      contender(
        "p\($0)", 0.9 + Double(random.below(50)) / 10_000, bytes: Double(random.below(4)),
        weight: Double(random.below(3)))
    }
    let winner = try #require(Winner(among: contenders)).winner
    let best = contenders.map(\.freshHitRatio).max() ?? 0
    #expect(best - winner.freshHitRatio <= Winner.tie)
    for other in contenders where best - other.freshHitRatio <= Winner.tie {
      #expect(
        (winner.bytesFetched, winner.peakResidentWeight)
          <= (other.bytesFetched, other.peakResidentWeight))
    }
  }
}

@Suite("Choice per scenario")
struct ScenarioChoiceTests {
  private func rows(
    _ scenario: String, _ policy: String, ratio: Double?, seed: UInt64 = 1
  ) -> [ResultRow] {
    let figures: [(String, Statistic, MetricValue?)] = [
      ("reads", .value, .integer(10)),
      ("fresh_hit_ratio", .value, ratio.map(MetricValue.real)),
      ("bytes_fetched", .value, .integer(5)), ("resident_weight", .peak, .integer(7)),
    ]
    return figures.map {
      ResultRow(
        scenario: scenario, policy: policy, seed: seed, metric: $0.0, statistic: $0.1.rawValue,
        value: $0.2)
    }
  }

  @Test("bounds do not compete; a policy with a missing figure is named, not judged")
  func competitors() throws {
    let all =
      rows("a", "unbounded", ratio: 1) + rows("a", "lru", ratio: 0.5)
      + rows("a", "ttl", ratio: nil) + rows("b", "ttl", ratio: nil)
    let choices = ScenarioChoice.all(in: all, bounds: ["no-cache", "unbounded"])
    #expect(choices.map(\.scenario) == ["a", "b"])
    #expect(choices[0].winner?.winner.policy == "lru")
    #expect(choices[0].withoutFigures == ["ttl"])
    #expect(choices[1].winner == nil)
  }

  @Test("where freshness is not known, those that hit most are named, ties together")
  func mostHits() throws {
    func hits(_ policy: String, _ ratio: Double) -> [ResultRow] {
      rows("log", policy, ratio: nil)
        + [
          ResultRow(
            scenario: "log", policy: policy, seed: 1, metric: "hit_ratio", value: .real(ratio))
        ]
    }
    let all = hits("lru", 0.5) + hits("fifo", 0.4) + hits("sieve", 0.5005) + hits("unbounded", 1)
    let choice = try #require(ScenarioChoice.all(in: all, bounds: ["unbounded"]).first)
    #expect(choice.winner == nil)
    #expect(choice.mostHits?.policies == ["lru", "sieve"])
    #expect(choice.mostHits?.hitRatio == 0.5005)
    #expect(choice.mostHits?.runnerUp == "fifo")
    let known = ScenarioChoice.all(in: rows("a", "lru", ratio: 0.5), bounds: [])
    #expect(known.first?.mostHits == nil)
  }

  @Test("the deficit is counted from the best that competes, which need not be the winner")
  func deficit() throws {
    let all =
      rows("a", "unbounded", ratio: 1) + rows("a", "lru", ratio: 0.75)
      + rows("a", "refcount", ratio: 0.25) + rows("a", "ttl", ratio: nil)
    let choice = try #require(ScenarioChoice.all(in: all, bounds: ["unbounded"]).first)
    #expect(choice.deficit(of: "lru") == 0)
    #expect(choice.deficit(of: "refcount") == 0.5)
    #expect(choice.deficit(of: "unbounded") == nil)
    #expect(choice.deficit(of: "ttl") == nil)
    let tied = ScenarioChoice(
      scenario: "a",
      contenders: [
        Contender(policy: "x", freshHitRatio: 0.5, bytesFetched: 9, peakResidentWeight: 1),
        Contender(policy: "y", freshHitRatio: 0.4995, bytesFetched: 1, peakResidentWeight: 1),
      ], withoutFigures: [])
    #expect(tied.winner?.winner.policy == "y")
    #expect(tied.deficit(of: "x") == 0)
  }

  @Test("seeds are averaged; a seed without a figure is not skipped")
  func seeds() {
    let all =
      rows("a", "lru", ratio: 0.4, seed: 1) + rows("a", "lru", ratio: 0.6, seed: 2)
      + rows("a", "ttl", ratio: 0.9, seed: 1) + rows("a", "ttl", ratio: nil, seed: 2)
    let choice = ScenarioChoice.all(in: all, bounds: []).first
    #expect(choice?.winner?.winner.freshHitRatio == 0.5)
    #expect(choice?.withoutFigures == ["ttl"])
  }
}
