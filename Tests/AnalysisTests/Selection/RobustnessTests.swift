import Analysis
import ResultModel
import Testing

@Suite("Robustness of a verdict")
struct RobustnessTests {
  private static let point = 0.01

  /// Verdicts over the same three contenders, each behind by a given number of points; the fourth kind decides
  /// nothing between the first two.
  private static func verdict(
    _ one: Double, _ two: Double, _ three: Double, swing: Double = 0, plan: SeedPlan = .fixed(10)
  ) -> ShipVerdict {
    [
      Crafted("one", behind: one * point),
      Crafted("two", behind: two * point, swing: swing * point),
      Crafted("three", behind: three * point),
    ].verdict(by: .plain, plan: plan)
  }

  private static let shipsOne = verdict(0, 2, 4)
  private static let shipsTwo = verdict(2, 0, 4)
  private static let oneOrTwo = verdict(0, 0.1, 4)
  private static let twoOrThree = verdict(4, 0.1, 0)
  private static let oneAndTwoLeft = verdict(0, 0, 9, swing: 3)
  private static let oneSeed = verdict(0, 2, 4, plan: .fixed(1))
  private static let none = [Crafted("one", [.staleReadShare: 0.3])].verdict(
    by: .freshReads(subjectTo: [Constraint(.staleReadShare, .atMost, 0.1)], limits: nil))

  private static func answers(to base: ShipVerdict, _ others: ShipVerdict...) -> [Robustness.Answer]
  {
    let robustness = Robustness(
      of: base, under: others.enumerated().map { .init(label: "\($0)", verdict: $1) })
    return robustness.alternatives.map(robustness.answer)
  }

  @Test("The recommended policy must be acceptable in each alternative")
  func ship() {
    #expect(
      Self.answers(
        to: Self.shipsOne, Self.shipsOne, Self.oneOrTwo, Self.shipsTwo, Self.twoOrThree, Self.none)
        == [.agrees, .tied, .disagrees, .disagrees, .disagrees])
  }

  @Test("An alternative that decides nothing is open, unless it eliminated the recommended policy")
  func open() {
    #expect(
      Self.answers(to: Self.shipsOne, Self.oneAndTwoLeft, Self.oneSeed) == [.open, .open])
    #expect(Self.answers(to: Self.twoOrThree, Self.oneAndTwoLeft) == [.disagrees])
    #expect(Self.answers(to: Self.oneAndTwoLeft, Self.shipsOne, Self.oneSeed) == [.open, .open])
  }

  @Test("With few users, the same in both, the best is the best in the alternative or is not")
  func fewUsers() {
    let one = Self.verdict(0, 2, 4, plan: .users(2))
    let two = Self.verdict(2, 0, 4, plan: .users(2))
    #expect(one.choice.isEmpty && one.named == ["one"])
    #expect(Self.answers(to: one, one, two, Self.shipsOne) == [.agrees, .disagrees, .agrees])
    #expect(Self.answers(to: Self.shipsOne, one, two) == [.open, .open])
  }

  @Test("If none keeps the constraints, a check agrees if none keeps them there either")
  func noneFeasible() {
    #expect(
      Self.answers(to: Self.none, Self.none, Self.shipsOne, Self.oneOrTwo, Self.oneAndTwoLeft)
        == [.agrees, .disagrees, .disagrees, .open])
  }

  @Test("A check in which the recommended policy took no part gives no answer")
  func absent() {
    let without = [Crafted("two"), Crafted("three", behind: Self.point * 4)]
      .verdict(by: .plain, plan: .fixed(10))
    #expect(without.recommendation?.contender == "two")
    #expect(Self.answers(to: Self.shipsOne, without) == [.open])
    #expect(Self.answers(to: Self.shipsTwo, without) == [.agrees])
  }

  @Test("An alternative that recommends one of several equivalents breaks the tie")
  func equivalent() {
    #expect(Self.oneOrTwo.choice == ["one", "two"])
    #expect(
      Self.answers(to: Self.oneOrTwo, Self.oneOrTwo, Self.shipsOne, Self.shipsTwo)
        == [.agrees, .disagrees, .disagrees])
    let named = [
      Crafted("one", [.readWait: 1]), Crafted("two", [.readWait: 2]),
      Crafted("three", behind: 4 * Self.point, [.readWait: 1]),
    ].verdict(by: .plain)
    #expect(named.choice == ["one"])
    #expect(
      Self.answers(to: named, Self.shipsOne, Self.oneOrTwo, Self.shipsTwo) == [
        .agrees, .agrees, .disagrees,
      ])
  }

  @Test("Those that disagree are named, in the order in which they were asked")
  func names() {
    let robustness = Robustness(
      of: Self.shipsOne,
      under: [
        .init(label: "4 × the duration", verdict: Self.shipsTwo),
        .init(label: "by bytes", verdict: Self.shipsOne),
        .init(label: "reaction: waits", verdict: Self.oneAndTwoLeft),
        .init(label: "at equal memory", verdict: Self.twoOrThree),
      ])
    #expect(robustness.disagreeing.map(\.label) == ["4 × the duration", "at equal memory"])
    #expect(robustness.open.map(\.label) == ["reaction: waits"])
  }
}

@Suite("How far a log is from every policy")
struct RecordedGapTests {
  private static func gap(
    _ ratios: KeyValuePairs<String, Double?>, class name: ResultClass = .all
  ) -> RecordedGap? {
    let rows = ratios.map { policy, ratio in
      ResultRow(
        scenario: "grid", policy: policy, seed: 0, class: name, metric: .hitRatio,
        value: ratio.map(MetricValue.real))
    }
    return RecordedGap(scenario: "grid", rows: rows)
  }

  @Test("If no policy is within 10 points, it says so, with the nearest on either side")
  func far() {
    let above = Self.gap(["lru": 0.47, "ttl": 0.2, "recorded": 0.9])
    #expect(above?.recorded == 0.9)
    #expect(above?.nearest == "lru")
    #expect(above?.nearestRatio == 0.47)
    let below = Self.gap(["lru": 0.9, "ttl": 0.62, "recorded": 0.5])
    #expect(below?.nearest == "ttl")
    // The first of equals.
    #expect(Self.gap(["lru": 0.25, "ttl": 0.75, "recorded": 0.5])?.nearest == "lru")
  }

  @Test("One policy that is near is enough")
  func near() {
    #expect(Self.gap(["lru": 0.1, "ttl": 0.83, "recorded": 0.9]) == nil)
    #expect(Self.gap(["lru": 0.1, "ttl": 0.98, "recorded": 0.9]) == nil)
    #expect(Self.gap(["lru": 0.79, "recorded": 0.9]) != nil)
  }

  @Test("Without a figure on one side there is none")
  func missing() {
    #expect(Self.gap(["lru": 0.1]) == nil)
    #expect(Self.gap(["lru": 0.1, "recorded": nil]) == nil)
    #expect(Self.gap(["lru": nil, "recorded": 0.9]) == nil)
    #expect(Self.gap(["lru": nil, "ttl": 0.1, "recorded": 0.9])?.nearest == "ttl")
    #expect(Self.gap(["lru": 0.1, "recorded": 0.9], class: "total") == nil)
  }

  @Test("Other scenarios are not looked at")
  func ownScenario() {
    let rows = ["grid", "other"].flatMap { scenario in
      [("lru", scenario == "grid" ? 0.1 : 0.9), ("recorded", 0.9)].map { policy, ratio in
        ResultRow(
          scenario: scenario, policy: policy, seed: 0, class: "all", metric: .hitRatio,
          value: .real(ratio))
      }
    }
    #expect(RecordedGap(scenario: "grid", rows: rows) != nil)
    #expect(RecordedGap(scenario: "other", rows: rows) == nil)
  }
}
