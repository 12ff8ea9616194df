import Analysis
import Testing

@Suite("Who is named first among equivalents")
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

  @Test("What one of them lacks tells nothing, and is no zero")
  func missing() throws {
    let unknown = Crafted("unknown", [Self.memory: 300])
    let known = Crafted("known", [Self.wait: 100, Self.bytes: 300, Self.memory: 200])
    let equivalence = try Self.verdict([unknown, known])
    #expect(equivalence.preferred == ["known"])
    #expect(equivalence.separations.map(\.figure) == [Self.memory])
  }

  @Test("Figures sort a field one after the other, and what is left is told apart by nothing")
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
