import Analysis
import ResultModel
import Testing

@Suite("Few seeds before the first look")
struct ScreeningTests {
  private static let zone = 0.005

  private static func fate(
    _ other: Crafted, beside best: Crafted = Crafted("best"), by rule: Goal = .plain
  ) throws -> (fate: Standing.Fate, seeds: Int) {
    // One that is level keeps the selection from ending.
    let verdict = [best, Crafted("level", behind: 0.2 * zone, swing: 4 * zone), other]
      .verdict(by: rule, plan: .automatic)
    let standing = try #require(verdict.standing(of: other.name))
    return (standing.fate, standing.seeds)
  }

  @Test("A contender more than two zones behind in each of five seeds is eliminated")
  func hopeless() throws {
    let far = try Self.fate(Crafted("far", behind: 2.1 * Self.zone))
    #expect(far.fate == .behind && far.seeds == 5)
    let near = try Self.fate(Crafted("near", behind: 1.9 * Self.zone))
    #expect(near.fate == .behind && near.seeds == 10)
  }

  @Test("One contrary seed keeps a contender, whatever the mean")
  func eachSeed() throws {
    let once = Crafted("once") { $0 == 3 ? 1.9 * Self.zone : 9 * Self.zone }
    #expect(try Self.fate(once).seeds > 5)
  }

  @Test("A spread that a wide interval does not rule out keeps it")
  func wide() throws {
    // t of four degrees of freedom at a tail of 0.005 / 2 is 6.8: 10 ± 10.7 zones.
    let wide = Crafted("wide", behind: 10 * Self.zone, swing: 3.5 * Self.zone)
    #expect(try Self.fate(wide).seeds > 5)
  }

  @Test("A leader with an undecided constraint eliminates none")
  func doubtfulLeader() throws {
    let rule = Goal.freshReads(
      subjectTo: [Constraint(.staleReadShare, .atMost, 0.01)], limits: nil)
    var leader = Crafted("leader")
    leader.varying[.staleReadShare] = { 0.01 + 0.005 * Crafted.sign($0) }
    let verdict = [leader, Crafted("sound", behind: 9 * Self.zone, [.staleReadShare: 0])]
      .verdict(by: rule, plan: .automatic)
    #expect(try #require(verdict.standing(of: "sound")).seeds > 5)
  }

  @Test("One value over a limit of every seed is enough; a mean has to be beyond doubt")
  func constraints() throws {
    let bound = Goal.freshReads()
    func sample(_ name: String, _ limit: Double) -> Crafted { Crafted(name, [.overLimit: limit]) }
    let verdict = [sample("kept", 0.5), sample("also", 0.5), sample("over", 1.1)]
      .verdict(by: bound, plan: .automatic)
    #expect(verdict.standing(of: "over")?.fate == .infeasible)
    #expect(verdict.standing(of: "over")?.seeds == 5)

    let mean = Goal.freshReads(
      subjectTo: [Constraint(.staleReadShare, .atMost, 0.01)], limits: nil)
    func seeds(_ swing: Double) throws -> Int {
      var stale = Crafted("stale")
      stale.varying[.staleReadShare] = { 0.02 + swing * Crafted.sign($0) }
      let others = [Crafted("one", [.staleReadShare: 0]), Crafted("two", [.staleReadShare: 0])]
      let verdict = ([stale] + others).verdict(by: mean, plan: .automatic)
      #expect(verdict.standing(of: "stale")?.fate == .infeasible)
      return try #require(verdict.standing(of: "stale")).seeds
    }
    #expect(try seeds(0.0001) == 5)
    // Of five values a spread of 0.4 points leaves 95 % beyond the limit, and not the level of the screening.
    #expect(try seeds(0.004) == 10)
  }

  @Test("Screening declares no equivalence, and ends the selection if one is left")
  func ends() throws {
    let copies = [Crafted("one"), Crafted("other")].verdict(by: .plain, plan: .automatic)
    #expect(copies.seeds == 10 && copies.equivalence != nil)
    let far = [Crafted("best"), Crafted("far", behind: 9 * Self.zone)]
      .verdict(by: .plain, plan: .automatic)
    #expect(far.seeds == 5 && far.recommendation?.contender == "best")
    #expect(far.recommendation?.runnerUp == "far")
  }

  // Half the width of the interval of 2 · n seeds is t · swing / √(2 · n − 1), with t near 2.5: of 7 zones, 300
  // seeds bring it to a zone, of 9 zones 500.
  @Test("If hundreds of seeds would not decide, 20 are enough to say so")
  func outOfReach() throws {
    func verdict(swing: Double, plan: SeedPlan) -> ShipVerdict {
      [Crafted("steady"), Crafted("varied", swing: swing * Self.zone)]
        .verdict(by: .plain, plan: plan)
    }
    let far = verdict(swing: 9, plan: .automatic)
    #expect(far.seeds == 20 && far.indecision?.cause == .lastLook)
    #expect(try #require(far.indecision?.seedsNeeded) > 400)
    #expect(verdict(swing: 7, plan: .automatic).seeds == 100)
    #expect(verdict(swing: 9, plan: .fourLooks).seeds == 100)
  }

  @Test("The error that screening spends is not available to the looks")
  func levels() {
    #expect(SeedPlan.automatic.screeningLevel(contenders: 6) == 1 - 0.005 / 5)
    #expect(SeedPlan.automatic.level(contenders: 6) == 1 - (0.05 - 0.005) / 20)
    #expect(SeedPlan.fourLooks.level(contenders: 6) == 1 - 0.05 / 20)
    #expect(SeedPlan.automatic.stops == [5, 10, 20, 40, 100])
    #expect(SeedPlan.automatic.common == 5 && SeedPlan.fourLooks.common == 10)
  }
}
