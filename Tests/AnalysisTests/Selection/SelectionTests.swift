import Analysis
import ResultModel
import Testing

@Suite("Selection")
struct SelectionTests {
  private static let point = 0.01

  /// Student's factor of each look, from SciPy: two-sided, of a tail of 0.05 / (looks · (k − 1)).
  struct Look: Sendable {
    let contenders: Int
    let plan: SeedPlan
    let seeds: Int
    let factor: Double

    /// The swing at which a contender behind by `distance` is just clear of zero there.
    func swing(clearing distance: Double) -> Double {
      distance * Double(seeds - 1).squareRoot() / factor
    }

    static let all = [
      Look(contenders: 2, plan: .fourLooks, seeds: 10, factor: 3.110934823),
      Look(contenders: 2, plan: .fourLooks, seeds: 20, factor: 2.758585899),
      Look(contenders: 2, plan: .fourLooks, seeds: 40, factor: 2.618863732),
      Look(contenders: 2, plan: .fourLooks, seeds: 100, factor: 2.544161403),
      Look(contenders: 8, plan: .fourLooks, seeds: 10, factor: 4.374361259),
      Look(contenders: 8, plan: .fourLooks, seeds: 20, factor: 3.629206508),
      Look(contenders: 8, plan: .fourLooks, seeds: 40, factor: 3.353409611),
      Look(contenders: 8, plan: .fourLooks, seeds: 100, factor: 3.210743017),
      Look(contenders: 2, plan: .fixed(20), seeds: 20, factor: 2.093024054),
      Look(contenders: 8, plan: .fixed(20), seeds: 20, factor: 3.013624610),
    ]
  }

  @Test(
    "drops at the look at which the interval is clear of zero, and not before", arguments: Look.all)
  func dropsClearOfZero(look: Look) throws {
    // The others are eliminated at the first look; the level is still that of all.
    let others = (2..<look.contenders).map { Crafted("far-\($0)", behind: 30 * Self.point) }
    func verdict(_ swing: Double) -> ShipVerdict {
      ([Crafted("best"), Crafted("near", behind: Self.point, swing: swing)] + others)
        .verdict(by: .plain, plan: look.plan)
    }
    let edge = look.swing(clearing: Self.point)
    let clear = verdict(edge * 0.9999)
    #expect(clear.seeds == look.seeds)
    #expect(clear.recommendation?.contender == "best")
    let near = try #require(clear.standing(of: "near"))
    #expect(near.fate == .behind)
    #expect(near.seeds == look.seeds)
    let behind = try #require(near.comparison?.behind)
    #expect(behind.low > 0 && behind.low < 0.001 * Self.point)
    #expect(abs(behind.mean - Self.point) < 1e-12)
    #expect(behind.count == look.seeds)
    #expect(clear.level == behind.level)

    let unclear = verdict(edge * 1.0001)
    #expect(unclear.seeds > look.seeds || unclear.indecision?.left == ["best", "near"])
  }

  @Test("Worse within the zone beyond doubt is equivalent; worse and perhaps beyond it is dropped")
  func zone() {
    let look = Look.all[0]
    let width = 0.2 * Self.point
    // Behind by 0.3 points: with a half width of 0.2 the interval ends at the edge of the zone.
    func verdict(_ swing: Double) -> ShipVerdict {
      [Crafted("best"), Crafted("near", behind: 0.3 * Self.point, swing: swing)]
        .verdict(by: .plain)
    }
    let edge = look.swing(clearing: width)
    #expect(verdict(edge * 0.9999).equivalence?.contenders == ["best", "near"])
    #expect(verdict(edge * 0.9999).seeds == 10)
    #expect(verdict(edge * 1.0001).recommendation?.contender == "best")
    #expect(verdict(edge * 1.0001).seeds == 10)
  }

  @Test("Equal means are equivalent once the interval fits into the zone")
  func equivalence() {
    let look = Look.all[1]
    func verdict(_ swing: Double) -> ShipVerdict {
      [Crafted("one"), Crafted("other", swing: swing)].verdict(by: .plain)
    }
    let edge = look.swing(clearing: 0.5 * Self.point)
    #expect(verdict(edge * 0.9999).equivalence?.contenders == ["one", "other"])
    #expect(verdict(edge * 0.9999).seeds == 20)
    #expect(verdict(edge * 1.0001).seeds == 40)
  }

  @Test("Two within the zone of the best are equivalent only if they are within it of each other")
  func pairs() throws {
    let factor = 2.433440211  // of 19 degrees of freedom, tail 0.05 / 2
    let swing = 0.3 * Self.point * 19.0.squareRoot() / factor
    func contenders(_ up: Double, _ down: Double) -> [Crafted] {
      [
        Crafted("best"), Crafted("up", behind: up * Self.point, swing: swing),
        Crafted("down", behind: down * Self.point, swing: -swing),
      ]
    }
    // The outer two are within the zone of the best, 0.3 points of spread on either side, and may be
    // 0.6 to 0.8 points apart, whichever of them is better.
    for (up, down) in [(0.1, 0.1), (0.01, 0.19), (0.19, 0.01)] {
      let verdict = contenders(up, down).verdict(by: .plain, plan: .fixed(20))
      for name in ["up", "down"] {
        let comparison = try #require(verdict.standing(of: name)?.comparison)
        #expect(abs(comparison.behind.halfWidth - 0.3 * Self.point) < 1e-6)
        #expect(comparison.isWithinZone)
      }
      #expect(verdict.indecision?.left == ["best", "up", "down"])
    }
    let even = contenders(0.1, 0.1)
    // 0.6 points at 20 seeds are 0.5 at 28, by the factor of 27 degrees of freedom.
    #expect(even.verdict(by: .plain, plan: .fixed(20)).indecision?.seedsNeeded == 28)
    #expect(even.dropLast().map(\.self).verdict(by: .plain, plan: .fixed(20)).equivalence != nil)
    // Spreads that go the same way leave the outer two together.
    let alike = [
      Crafted("best"), Crafted("up", behind: 0.1 * Self.point, swing: swing),
      Crafted("also-up", behind: 0.15 * Self.point, swing: swing),
    ]
    #expect(alike.verdict(by: .plain, plan: .fixed(20)).equivalence?.contenders.count == 3)
  }

  @Test("asks only for the remaining contenders, and only for the seeds up to the next look")
  func demands() {
    let look = Look.all[1]
    let contenders = [
      Crafted("far", behind: 10 * Self.point), Crafted("best"),
      Crafted("near", behind: Self.point, swing: look.swing(clearing: Self.point) * 0.99),
      Crafted("level", behind: 0.1 * Self.point, swing: 6 * Self.point),
    ]
    var selection = Selection(rule: .plain, contenders: contenders.map(\.name), plan: .fourLooks)
    var demands: [Selection.Demand] = []
    while let demand = selection.demand {
      demands.append(demand)
      // The order of samples does not matter.
      selection.record(contenders.samples(demand, by: .plain).reversed())
    }
    let all = ["far", "best", "near", "level"]
    let three = ["best", "near", "level"]
    #expect(demands.map(\.contenders) == [all, three, three, ["best", "level"]])
    #expect(demands.map(\.seeds) == [0..<10, 10..<20, 20..<40, 40..<100])
    let standings = selection.verdict?.standings ?? []
    #expect(standings.map(\.contender) == all)
    #expect(standings.map(\.seeds) == [10, 100, 40, 100])
    #expect(standings.map(\.fate) == [.behind, .left, .behind, .left])
    #expect(selection.verdict?.seeds == 100)
  }

  @Test("An eliminated contender does not return, even if it would be best over all seeds")
  func droppedStaysDropped() throws {
    // Two points behind in ten seeds, four ahead ever after.
    let late = Crafted("late") { $0 < 10 ? 2 * Self.point : -4 * Self.point }
    let contenders = [
      Crafted("best"), late, Crafted("level", behind: 0.1 * Self.point, swing: 6 * Self.point),
    ]
    let verdict = contenders.verdict(by: .plain)
    #expect(verdict.indecision?.left == ["best", "level"])
    let standing = try #require(verdict.standing(of: "late"))
    #expect(standing.fate == .behind)
    #expect(standing.seeds == 10)
    #expect(standing.comparison?.reference == "best")
    #expect(standing.comparison?.behind.count == 10)
  }

  @Test("The best may change between looks; each is compared with the best of its look")
  func bestChanges() throws {
    // A point ahead in ten seeds, three behind in those that follow: one behind over twenty.
    let early = Crafted("early", swing: 2 * Self.point) { $0 < 10 ? -Self.point : 3 * Self.point }
    var selection = Selection(rule: .plain, contenders: ["steady", "early"], plan: .fourLooks)
    let contenders = [Crafted("steady"), early]
    for best in ["early", "steady"] {
      let demand = try #require(selection.demand)
      selection.record(contenders.samples(demand, by: .plain))
      var stopped = selection
      stopped.stop()
      #expect(stopped.verdict?.indecision?.leader == best)
      #expect(stopped.verdict?.standing(of: best)?.comparison == nil)
      let other = stopped.verdict?.standings.first { $0.contender != best }
      #expect(other?.comparison?.reference == best)
      #expect(try #require(other?.comparison?.behind.mean) > 0)
    }
    #expect(contenders.verdict(by: .plain).recommendation?.contender == "steady")
  }

  @Test("Less is better where the rule says so; the zone is 2 % of the best")
  func minimises() throws {
    let rule = Goal(.minimise, .readWait, limits: nil)
    #expect(rule.zone == .relative(0.02))
    let zone = 0.02 * (0..<10).reduce(0) { $0 + Crafted.level($1) } / 10
    func verdict(_ behind: Double) -> ShipVerdict {
      [Crafted("slow", behind: behind), Crafted("quick")].verdict(by: rule)
    }
    // Among equivalents the wait decides which is named first.
    #expect(verdict(zone * 0.999).equivalence?.contenders == ["quick", "slow"])
    #expect(verdict(zone * 1.001).recommendation?.contender == "quick")
    let slow = try #require(verdict(zone * 1.001).standing(of: "slow")?.comparison)
    #expect(abs(slow.behind.mean - zone * 1.001) < 1e-12)
    #expect(abs(slow.zone - zone) < 1e-12)
    let lead = try #require(verdict(zone * 1.001).recommendation?.lead)
    #expect(abs(lead.mean - zone * 1.001) < 1e-12)
  }

  @Test("The runner-up is the contender eliminated last, of several the nearest")
  func runnerUp() throws {
    let look = Look(contenders: 4, plan: .fourLooks, seeds: 20, factor: 3.254996)
    let swing = look.swing(clearing: Self.point) * 0.99
    let verdict = [
      Crafted("far", behind: 3 * Self.point),
      Crafted("third", behind: 1.1 * Self.point, swing: swing),
      Crafted("second", behind: Self.point, swing: swing), Crafted("best"),
    ].verdict(by: .plain)
    let recommendation = try #require(verdict.recommendation)
    #expect(recommendation.contender == "best")
    #expect(recommendation.runnerUp == "second")
    #expect(verdict.standing(of: "far")?.seeds == 10)
    let lead = try #require(recommendation.lead)
    #expect(abs(lead.mean - Self.point) < 1e-12)
    #expect(lead.count == 20)
    #expect(lead.halfWidth < Self.point)
  }

  @Test("The lead is over the seeds that both ran, though the winner ran more")
  func leadOverCommonSeeds() throws {
    // The runner-up falls at ten seeds; the other, in doubt at first, breaks its constraint at twenty.
    var doubtful = Crafted("doubtful")
    doubtful.varying[.staleReadShare] = { $0 < 10 ? 0.01 + 0.02 * Crafted.sign($0) : 0.5 }
    let stale: [Figure: Double] = [.staleReadShare: 0]
    let rule = Goal.freshReads(
      subjectTo: [Constraint(.staleReadShare, .atMost, 0.011)], limits: nil)
    let verdict = [doubtful, Crafted("best", stale), Crafted("second", behind: Self.point, stale)]
      .verdict(by: rule)
    #expect(verdict.seeds == 20)
    #expect(verdict.standing(of: "doubtful")?.fate == .infeasible)
    let recommendation = try #require(verdict.recommendation)
    #expect(recommendation.runnerUp == "second")
    let lead = try #require(recommendation.lead)
    #expect(lead.count == 10)
    #expect(abs(lead.mean - Self.point) < 1e-12)
    #expect(lead.halfWidth < 1e-9)
  }

  @Test(
    "Exact copies are equivalent at the first look, and worse contenders are eliminated")
  func copies() {
    let verdict = [
      Crafted("copy"), Crafted("worse", behind: Self.point), Crafted("original"),
    ].verdict(by: .plain)
    #expect(verdict.equivalence?.contenders == ["copy", "original"])
    #expect(verdict.equivalence?.preferred == ["copy", "original"])
    #expect(verdict.seeds == 10)
    #expect(verdict.choice == ["copy", "original"])
  }

  @Test("One seed gives no verdict")
  func oneSeed() {
    let verdict = [Crafted("worse", behind: 20 * Self.point), Crafted("best"), Crafted("level")]
      .verdict(by: .plain, plan: .fixed(1))
    #expect(verdict.outcome == .bestOfOneSeed(["best", "level"]))
    #expect(verdict.choice == [])
    #expect(verdict.standings.allSatisfy { $0.fate == .left && $0.objective == nil })
    #expect([Crafted("alone")].verdict(by: .plain, plan: .fixed(1)).recommendation == nil)
    // Nor does a plan end at a look after one.
    let two = [Crafted("one"), Crafted("two")].verdict(by: .plain, plan: SeedPlan(looks: [1, 10]))
    #expect(two.seeds == 10)
  }

  @Test("Two seeds are enough for an interval, which is wide")
  func twoSeeds() {
    let contenders = [
      Crafted("best"), Crafted("near", behind: Self.point, swing: 0.1 * Self.point),
    ]
    // t of one degree of freedom is 12.7: 1 ± 1.27 points.
    #expect(contenders.verdict(by: .plain, plan: .fixed(2)).indecision?.left == ["best", "near"])
    let nearer = [Crafted("best"), Crafted("near", behind: Self.point, swing: 0.07 * Self.point)]
    #expect(nearer.verdict(by: .plain, plan: .fixed(2)).recommendation?.contender == "best")
  }

  @Test(
    "A single contender is recommended without a runner-up; without contenders there is no verdict")
  func fewContenders() {
    let alone = [Crafted("alone")].verdict(by: .plain)
    #expect(alone.recommendation?.contender == "alone")
    #expect(alone.recommendation?.runnerUp == nil)
    #expect(alone.recommendation?.lead == nil)
    #expect(alone.seeds == 10)
    #expect([Crafted]().verdict(by: .plain).outcome == .nobody)
  }

  @Test("A caller that stops gets no decision, and is told that it stopped")
  func stops() throws {
    let contenders = [Crafted("best"), Crafted("near", behind: Self.point, swing: 5 * Self.point)]
    var runs = 0
    let verdict = Selection.verdict(by: .plain, among: ["best", "near"], plan: .fourLooks) {
      demand in
      runs += 1
      return runs > 2 ? nil : contenders.samples(demand, by: .plain)
    }
    let indecision = try #require(verdict.indecision)
    #expect(indecision.cause == .stopped)
    #expect(indecision.left == ["best", "near"])
    #expect(indecision.leader == "best")
    #expect(verdict.seeds == 20)
    #expect(try #require(indecision.seedsNeeded) > 100)
    #expect(verdict.standing(of: "near")?.comparison?.behind.count == 20)

    var early = Selection(rule: .plain, contenders: ["best", "near"], plan: .fourLooks)
    early.stop()
    let unseen = try #require(early.verdict?.indecision)
    #expect(unseen.cause == .stopped)
    #expect(unseen.left == ["best", "near"])
    #expect(unseen.leader == nil)
    #expect(unseen.seedsNeeded == nil)
    #expect(early.verdict?.seeds == 0)
    #expect(early.demand == nil)

    var decided = Selection(rule: .plain, contenders: ["alone"], plan: .fourLooks)
    let demand = try #require(decided.demand)
    decided.record([Crafted("alone").sample(demand.seeds, by: .plain)])
    decided.stop()
    #expect(decided.verdict?.recommendation?.contender == "alone")
  }

  @Test(
    "A contender that lacks a figure at one seed does not compete, and does not count",
    arguments: [nil, Double.nan])
  func withoutFigures(value: Double?) throws {
    let look = Look.all[0]
    let swing = look.swing(clearing: Self.point) * 0.9999
    let rule = Goal.freshReads(
      subjectTo: [Constraint(.staleReadShare, .atMost, 0.01)], limits: nil)
    let stale: [Figure: Double] = [.staleReadShare: 0]
    var blind = Crafted("blind", behind: -50 * Self.point)
    blind.varying[.staleReadShare] = { $0 == 4 ? value : 0 }
    let verdict = [
      blind, Crafted("best", stale), Crafted("near", behind: Self.point, swing: swing, stale),
    ].verdict(by: rule)
    #expect(verdict.standing(of: "blind")?.fate == .withoutFigures([.staleReadShare]))
    #expect(verdict.standing(of: "blind")?.judgements == [])
    #expect(verdict.recommendation?.contender == "best")
    #expect(verdict.level == 0.9875)
    #expect(verdict.seeds == 10)
    #expect([blind].verdict(by: rule).outcome == .nobody)
  }

  @Test("One that lacks a figure later falls out then, and the level stays")
  func losesItsFigures() {
    var late = Crafted("late", swing: 9 * Self.point)
    late.varying[.staleReadShare] = { $0 == 15 ? nil : 0 }
    let rule = Goal.freshReads(
      subjectTo: [Constraint(.staleReadShare, .atMost, 0.01)], limits: nil)
    let verdict = [Crafted("best", [.staleReadShare: 0]), late].verdict(by: rule)
    #expect(verdict.recommendation?.contender == "best")
    #expect(verdict.recommendation?.runnerUp == nil)
    #expect(verdict.seeds == 20)
    #expect(verdict.level == 0.9875)
  }
}
