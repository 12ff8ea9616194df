import Analysis
import ResultModel
import Testing

@Suite("How many seeds would decide")
struct OutlookTests {
  private static let point = 0.01

  private static func needed(
    behind: Double, swing: Double, plan: SeedPlan = .fixed(20)
  ) -> Int? {
    [Crafted("best"), Crafted("near", behind: behind * point, swing: swing * point)]
      .verdict(by: .plain, plan: plan).indecision?.seedsNeeded
  }

  // Each from SciPy: the least n with t(n − 1) · spread / √n at most the distance.
  @Test("The distance is to zero or to the edge of the zone, whichever is farther")
  func distance() {
    #expect(Self.needed(behind: 0.25, swing: 1) == 68)
    #expect(Self.needed(behind: 0.35, swing: 1) == 36)
    #expect(Self.needed(behind: 0.15, swing: 1) == 36)
    #expect(Self.needed(behind: 0.25, swing: 0.25, plan: .fixed(6)) == 8)
    #expect(Self.needed(behind: 0.25, swing: 0.3, plan: .fixed(6)) == 10)
  }

  @Test("After the last look of four the level is theirs")
  func level() {
    #expect(Self.needed(behind: 0.4, swing: 3, plan: .fourLooks) == 359)
  }

  @Test("With that many seeds of the same mean and spread it is decided, with fewer it is not")
  func holds() throws {
    // An even number: the swing is then of mean zero again.
    let needed = try #require(Self.needed(behind: 0.3, swing: 2.02, plan: .fixed(20)))
    let even = needed + needed % 2
    func verdict(_ seeds: Int) -> ShipVerdict {
      [Crafted("best"), Crafted("near", behind: 0.3 * Self.point, swing: 2.02 * Self.point)]
        .verdict(by: .plain, plan: .fixed(seeds))
    }
    #expect(verdict(even).indecision == nil)
    #expect(verdict(even - 12).indecision != nil)
  }

  @Test("The widest of those that are left counts")
  func widest() {
    let verdict = [
      Crafted("best"), Crafted("near", behind: 0.25 * Self.point, swing: Self.point),
      Crafted("wide", behind: 0.25 * Self.point, swing: 4 * Self.point),
    ].verdict(by: .plain, plan: .fixed(20))
    let two = [
      Crafted("best"), Crafted("wide", behind: 0.25 * Self.point, swing: 4 * Self.point),
      Crafted("far", behind: 9 * Self.point),
    ].verdict(by: .plain, plan: .fixed(20))
    #expect(verdict.indecision?.seedsNeeded == two.indecision?.seedsNeeded)
    #expect(two.indecision?.seedsNeeded != nil)
  }

  @Test("No number of seeds decides a mean that equals its limit")
  func onTheLimit() {
    var edge = Crafted("edge")
    edge.varying[.staleReadShare] = { 0.25 + 0.125 * Crafted.sign($0) }
    let rule = Goal.freshReads(
      subjectTo: [Constraint(.staleReadShare, .atMost, 0.25)], limits: nil)
    let indecision = [edge].verdict(by: rule, plan: .fixed(20)).indecision
    #expect(indecision?.left == ["edge"])
    #expect(indecision?.seedsNeeded == nil)
  }
}

@Suite("Which of several equivalent contenders is named first")
struct EquivalenceTests {
  private static let wait = Figure.readWait
  private static let bytes = Figure.bytesReceived
  private static let memory = Figure.peakMemory

  private static func verdict(_ contenders: [Crafted], seeds: Int = 10) throws -> Equivalence {
    try #require(contenders.verdict(by: .plain, plan: .fixed(seeds)).equivalence)
  }

  @Test("waits count before bytes, and bytes before memory")
  func order() throws {
    let quick = Crafted("quick", [Self.wait: 90, Self.bytes: 300, Self.memory: 300])
    let frugal = Crafted("frugal", [Self.wait: 100, Self.bytes: 200, Self.memory: 300])
    let small = Crafted("small", [Self.wait: 100, Self.bytes: 300, Self.memory: 200])
    let plain = Crafted("plain", [Self.wait: 100, Self.bytes: 300, Self.memory: 300])
    func named(_ contenders: Crafted...) throws -> [String] {
      try Self.verdict(contenders).preferred
    }
    #expect(try named(plain, small, frugal, quick) == ["quick"])
    #expect(try named(plain, small, frugal) == ["frugal"])
    #expect(try named(plain, small) == ["small"])
    #expect(try named(frugal, quick) == ["quick"])
    #expect(try named(plain, Crafted("other", plain.constant)) == ["plain", "other"])
  }

  @Test("A figure decides from one hundredth of the smaller mean on")
  func smallestShare() throws {
    func named(_ more: Double) throws -> Equivalence {
      try Self.verdict([
        Crafted("more", [Self.bytes: more]), Crafted("less", [Self.bytes: 200]),
      ])
    }
    #expect(try named(201.99).preferred == ["more", "less"])
    #expect(try named(201.99).separations == [])
    let apart = try named(202.01)
    #expect(apart.preferred == ["less"])
    #expect(apart.contenders == ["less", "more"])
    let separation = try #require(apart.separations.first)
    #expect(separation.contender == "more")
    #expect(separation.reference == "less")
    #expect(separation.figure == Self.bytes)
    #expect(abs(separation.excess.mean - 2.01) < 1e-9)
    #expect(abs(separation.share - 0.01005) < 1e-12)
  }

  @Test("A figure decides where its interval is clear of zero, at the level of the look")
  func clearOfZero() throws {
    // Twenty more of two hundred; of 19 degrees of freedom at 1 − 0.05 / 1.
    let edge = 20 * 19.0.squareRoot() / 2.093024054
    func named(_ swing: Double) throws -> [String] {
      var more = Crafted("more")
      more.varying[Self.bytes] = { 220 + 90 * Double($0 % 5) + swing * Crafted.sign($0) }
      var less = Crafted("less")
      less.varying[Self.bytes] = { 200 + 90 * Double($0 % 5) }
      return try Self.verdict([more, less], seeds: 20).preferred
    }
    #expect(try named(edge * 0.9999) == ["less"])
    #expect(try named(edge * 1.0001) == ["more", "less"])
  }

  @Test("A figure that one contender lacks gives no difference, and is not zero")
  func missing() throws {
    let unknown = Crafted("unknown", [Self.memory: 300])
    let known = Crafted("known", [Self.wait: 100, Self.bytes: 300, Self.memory: 200])
    let equivalence = try Self.verdict([unknown, known])
    #expect(equivalence.preferred == ["known"])
    #expect(equivalence.separations.map(\.figure) == [Self.memory])
  }

  @Test("Figures sort a field one after the other, and ties remain ties")
  func severalSteps() throws {
    let field = [
      Crafted("slow", [Self.wait: 200, Self.bytes: 100]),
      Crafted("one", [Self.wait: 100, Self.bytes: 300]),
      Crafted("greedy", [Self.wait: 100, Self.bytes: 400]),
      Crafted("other", [Self.wait: 100, Self.bytes: 300]),
    ]
    let equivalence = try Self.verdict(field)
    #expect(equivalence.preferred == ["one", "other"])
    #expect(equivalence.contenders == ["one", "other", "slow", "greedy"])
    #expect(equivalence.separations.map(\.contender) == ["slow", "greedy"])
    #expect(equivalence.separations.map(\.figure) == [Self.wait, Self.bytes])
  }

  @Test("Any share of nothing is more than one hundredth")
  func nothing() throws {
    let separation = try #require(
      try Self.verdict([Crafted("none", [Self.wait: 0]), Crafted("some", [Self.wait: 1])])
        .separations.first)
    #expect(separation.contender == "some")
    #expect(separation.share == .infinity)
  }
}
