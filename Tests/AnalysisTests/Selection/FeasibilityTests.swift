import Analysis
import ResultModel
import Testing

@Suite("Constraints of a selection")
struct FeasibilityTests {
  private static let point = 0.01
  /// Of nine degrees of freedom, two-sided at 95 %.
  private static let factor = 2.262157163

  private static func stale(_ limit: Double) -> Constraint {
    Constraint(.staleReadShare, .atMost, limit)
  }

  /// Ten values of a mean whose 95 % interval has this half-width.
  private static func values(mean: Double, halfWidth: Double) -> [Double] {
    (0..<10).map { mean + Crafted.sign($0) * halfWidth * 3 / factor }
  }

  @Test(
    "A mean keeps a limit with its upper end, breaks it with its lower, and is undecided between")
  func mean() throws {
    let constraint = Self.stale(0.01)
    func outcome(_ mean: Double, _ halfWidth: Double) throws -> ConstraintJudgement.Outcome {
      try #require(
        ConstraintJudgement(constraint, values: Self.values(mean: mean, halfWidth: halfWidth))
      ).outcome
    }
    #expect(try outcome(0.008, 0.00199) == .holds)
    #expect(try outcome(0.008, 0.00201) == .notDecided)
    #expect(try outcome(0.012, 0.00201) == .notDecided)
    #expect(try outcome(0.012, 0.00199) == .fails)
    #expect(try outcome(0.01, 0) == .holds)
    let judgement = try #require(
      ConstraintJudgement(constraint, values: Self.values(mean: 0.012, halfWidth: 0.001)))
    #expect(abs(judgement.value - 0.012) < 1e-12)
    #expect(abs(try #require(judgement.interval).low - 0.011) < 1e-9)
  }

  @Test("What fills its limit keeps it, though its interval lies partly beyond")
  func full() throws {
    func outcome(_ values: [Double]) throws -> ConstraintJudgement.Outcome {
      try #require(ConstraintJudgement(Constraint(.peakMemory, .atMost, 2e6), values: values))
        .outcome
    }
    #expect(try outcome([2e6, 1_999_990, 2e6, 1_999_980, 2e6]) == .holds)
    #expect(try outcome([2e6, 1_999_990, 2e6, 1_999_980, 2_000_001]) == .notDecided)
    #expect(try outcome([2e6, 1.9e6, 2e6, 1.9e6, 2e6]) == .notDecided)
  }

  @Test("A rule that seeks something else gives up none of the constraints")
  func seeking() {
    let rule = Goal.freshReads(staleWeight: 0.5, subjectTo: [Self.stale(0.02)])
    let other = rule.seeking(.minimise, .readWait)
    #expect(other.objective == .readWait && other.direction == .minimise)
    #expect(other.constraints == [.withinLimits, Self.stale(0.02)])
    #expect(other.zone == Goal(.minimise, .readWait).zone)
    #expect(other.staleWeight == 0)
  }

  @Test("At least is the mirror of at most")
  func atLeast() throws {
    let constraint = Constraint(.freshHitRatio(), .atLeast, 0.5)
    func outcome(_ mean: Double) throws -> ConstraintJudgement.Outcome {
      try #require(
        ConstraintJudgement(constraint, values: Self.values(mean: mean, halfWidth: 0.1))
      ).outcome
    }
    #expect(try outcome(0.61) == .holds)
    #expect(try outcome(0.59) == .notDecided)
    #expect(try outcome(0.41) == .notDecided)
    #expect(try outcome(0.39) == .fails)
    #expect(abs(constraint.excess(of: 0.4) - 0.1) < 1e-12)
  }

  @Test("Limits of the cache hold in every seed, not in the mean")
  func everySeed() throws {
    func judgement(_ worst: Double) throws -> ConstraintJudgement {
      let values = (0..<10).map { $0 == 6 ? worst : 0.5 }
      return try #require(ConstraintJudgement(.withinLimits, values: values))
    }
    #expect(try judgement(1).outcome == .holds)
    // A value that a table shows as 1.00 × is within the limit.
    #expect(try judgement(1.004).outcome == .holds)
    let over = try judgement(1.005)
    #expect(over.outcome == .fails)
    #expect(over.value == 1.005)
    #expect(ConstraintJudgement(.withinLimits, values: []) == nil)
    #expect(ConstraintJudgement(.withinLimits, values: [1.2])?.outcome == .fails)
    #expect(ConstraintJudgement(Self.stale(0.01), values: [0.5])?.outcome == .notDecided)
  }

  @Test("Every goal includes the limits of the cache, whatever else it says")
  func limitsAreAlwaysBound() {
    #expect(Goal.freshReads().constraints == [.withinLimits])
    let rule = Goal(.minimise, .readWait, subjectTo: [Self.stale(0.01)])
    #expect(rule.constraints == [.withinLimits, Self.stale(0.01)])
    #expect(rule.requiredFigures == [.readWait, .overLimit, .staleReadShare])
    #expect(Goal.plain.constraints == [])
  }

  @Test("A policy that wins by stale hits loses if staleness has a limit or a price")
  func winsByStaleness() throws {
    // 20 points of stale reads bring three points of fresh ones.
    let contenders = [
      Crafted("stale", [.staleReadShare: 0.2]),
      Crafted("true", behind: 3 * Self.point, [.staleReadShare: 0.002]),
    ]
    #expect(contenders.verdict(by: .plain).recommendation?.contender == "stale")
    let bound = contenders.verdict(
      by: .freshReads(subjectTo: [Self.stale(0.01)], limits: nil))
    #expect(bound.recommendation?.contender == "true")
    #expect(bound.recommendation?.runnerUp == nil)
    let loser = try #require(bound.standing(of: "stale"))
    #expect(loser.fate == .infeasible)
    #expect(loser.judgements.map(\.outcome) == [.fails])
    #expect(abs(try #require(loser.judgements.first?.value) - 0.2) < 1e-12)

    // At a price, the figure is a sum computed from the rows.
    let weighted = Goal.freshReads(staleWeight: 0.5, limits: nil)
    #expect(weighted.staleWeight == 0.5)
    #expect(weighted.objective != Goal.plain.objective)
    let priced = [
      Crafted("stale", behind: 10 * Self.point), Crafted("true", behind: 3.1 * Self.point),
    ]
    #expect(priced.verdict(by: weighted).recommendation?.contender == "true")
  }

  @Test("A policy over the memory limit in one seed is excluded, however much it wins")
  func winsByMemory() throws {
    var greedy = Crafted("greedy", behind: -5 * Self.point)
    greedy.varying[.overLimit] = { $0 == 7 ? 12.8 : 0.9 }
    let contenders = [
      greedy, Crafted("modest", [.overLimit: 1]),
      Crafted("small", behind: Self.point, [.overLimit: 0.4]),
    ]
    let verdict = contenders.verdict(by: .freshReads())
    #expect(verdict.recommendation?.contender == "modest")
    #expect(verdict.recommendation?.runnerUp == "small")
    #expect(verdict.standing(of: "greedy")?.fate == .infeasible)
    #expect(verdict.standing(of: "greedy")?.judgements.first?.value == 12.8)
  }

  @Test("A policy that wins on fetched bytes alone loses if all received bytes are limited")
  func winsOnPull() {
    let pulled = Figure(.bytesFetched, unit: .bytes)
    let contenders = [
      Crafted("pushed-to", [pulled: 8e6, .bytesReceived: 288e6]),
      Crafted("asking", behind: Self.point, [pulled: 40e6, .bytesReceived: 60e6]),
    ]
    func verdict(_ bound: Figure) -> ShipVerdict {
      contenders.verdict(
        by: .freshReads(subjectTo: [Constraint(bound, .atMost, 100e6)], limits: nil))
    }
    #expect(verdict(pulled).recommendation?.contender == "pushed-to")
    #expect(verdict(.bytesReceived).recommendation?.contender == "asking")
  }

  @Test("If none keeps a constraint, the nearest is named with its value")
  func noneFeasible() throws {
    let contenders = [
      Crafted("worst", behind: -Self.point, [.staleReadShare: 0.18]),
      Crafted("nearest", behind: Self.point, [.staleReadShare: 0.035]),
      Crafted("best", behind: -9 * Self.point, [.staleReadShare: 0.04]),
    ]
    let verdict = contenders.verdict(
      by: .freshReads(subjectTo: [Self.stale(0.01)], limits: nil))
    let shortfall = try #require(verdict.shortfall)
    #expect(shortfall.nearest == "nearest")
    #expect(shortfall.broken.map(\.constraint) == [Self.stale(0.01)])
    #expect(abs(try #require(shortfall.broken.first?.value) - 0.035) < 1e-12)
    #expect(verdict.seeds == 10)
    #expect(verdict.acceptable == [])
  }

  @Test("A miss of one of several constraints is measured as a share of its limit")
  func nearestOfSeveral() {
    let bytes = Constraint(.bytesReceived, .atMost, 100e6)
    func verdict(_ limit: Double) -> ShipVerdict {
      [
        Crafted("twice-the-bytes", [.staleReadShare: 0, .bytesReceived: 200e6]),
        Crafted("half-again-as-stale", [.staleReadShare: 0.015, .bytesReceived: 110e6]),
      ].verdict(by: .freshReads(subjectTo: [bytes, Self.stale(limit)], limits: nil))
    }
    #expect(verdict(0.01).shortfall?.nearest == "half-again-as-stale")
    #expect(verdict(0.01).shortfall?.broken.map(\.constraint) == [Self.stale(0.01), bytes])
    // Of a limit of zero there is no share: the most stale of all misses it wholly.
    #expect(verdict(0).shortfall?.nearest == "twice-the-bytes")
  }

  @Test("A contender with an undecided constraint eliminates none, and is not recommended")
  func inDoubt() throws {
    var doubtful = Crafted("doubtful", behind: -5 * Self.point)
    doubtful.varying[.staleReadShare] = { 0.01 + 0.02 * Crafted.sign($0) }
    let rule = Goal.freshReads(subjectTo: [Self.stale(0.011)], limits: nil)
    let contenders = [doubtful, Crafted("sure", [.staleReadShare: 0])]
    let verdict = contenders.verdict(by: rule)
    let indecision = try #require(verdict.indecision)
    #expect(indecision.cause == .lastLook)
    #expect(indecision.left == ["doubtful", "sure"])
    #expect(indecision.leader == "sure")
    #expect(verdict.seeds == 100)
    #expect(verdict.standing(of: "doubtful")?.judgements.map(\.outcome) == [.notDecided])
    // 2 points of spread about a mean that is 0.1 from its limit.
    #expect(indecision.seedsNeeded == Self.seedsForConstraint)

    // Nor is it called equivalent, however near it is.
    doubtful.behind = 0
    #expect(
      [doubtful, Crafted("sure", [.staleReadShare: 0])].verdict(by: rule).indecision?.left
        == ["doubtful", "sure"])

    // Alone it is not shipped either; worse than one that is sure, it is dropped like any other.
    #expect([doubtful].verdict(by: rule).indecision?.leader == nil)
    doubtful.behind = Self.point
    #expect(
      [doubtful, Crafted("sure", [.staleReadShare: 0])].verdict(by: rule).recommendation?.contender
        == "sure")
  }

  /// From SciPy: the least n with t(0.975, n − 1) · 0.02 · √(100 / 99) / √n ≤ 0.001.
  private static let seedsForConstraint = 1556

  @Test(
    "If the leaders break a constraint late, no claim is made about contenders dropped for them")
  func leadersFailLate() throws {
    var early = Crafted("early", swing: 6 * Self.point)
    early.varying[.overLimit] = { $0 == 17 ? 1.5 : 0.9 }
    var other = Crafted("other")
    other.varying[.overLimit] = { $0 == 12 ? 1.5 : 0.9 }
    let contenders = [early, Crafted("modest", behind: 9 * Self.point, [.overLimit: 0.5]), other]
    let verdict = contenders.verdict(by: .freshReads())
    #expect(verdict.standing(of: "modest")?.fate == .behind)
    let indecision = try #require(verdict.indecision)
    #expect(indecision.cause == .leadersFailed)
    #expect(indecision.left == [])
    #expect(indecision.leader == nil)
    #expect(indecision.seedsNeeded == nil)
    #expect(verdict.seeds == 20)
  }

  @Test("With one seed, a contender that breaks a constraint is not the best")
  func oneSeed() {
    let contenders = [
      Crafted("stale", [.staleReadShare: 0.2]),
      Crafted("true", behind: 3 * Self.point, [.staleReadShare: 0.002]),
    ]
    let rule = Goal.freshReads(subjectTo: [Self.stale(0.01)], limits: nil)
    #expect(contenders.verdict(by: rule, plan: .fixed(1)).outcome == .bestOfOneSeed(["true"]))
  }

  @Test("A contender of unknown memory is held to every constraint but the cache's limits")
  func memoryUnknown() {
    let rule = Goal.freshReads(subjectTo: [Self.stale(0.1)])
    let contenders = [
      Crafted("seen", behind: 5 * Self.point, [.overLimit: 0.5, .staleReadShare: 0]),
      Crafted("unseen", [.staleReadShare: 0]), Crafted("stale", [.staleReadShare: 0.2]),
    ]
    func verdict(unknown: Set<String>) -> ShipVerdict {
      Selection.verdict(
        by: rule, among: contenders.map(\.name), memoryUnknown: unknown, plan: .fixed(10)
      ) { contenders.samples($0, by: rule) }
    }
    let found = verdict(unknown: ["unseen", "stale"])
    #expect(found.recommendation?.contender == "unseen" && found.recommendation?.runnerUp == "seen")
    #expect(found.standings.map(\.isMemoryUnknown) == [false, true, true])
    #expect(found.standing(of: "unseen")?.judgements.map(\.constraint) == [Self.stale(0.1)])
    #expect(found.standing(of: "stale")?.fate == .infeasible)
    // A contender whose memory should be known, and is not, breaks the constraint.
    let strict = verdict(unknown: ["stale"])
    #expect(strict.standing(of: "unseen")?.fate == .withoutFigures([.overLimit]))
    #expect(strict.recommendation?.contender == "seen")
  }
}
