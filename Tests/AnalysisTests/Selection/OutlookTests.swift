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
    #expect(Self.needed(behind: 0.4, swing: 3, plan: .automatic) == 359)
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

  @Test("A mean that lies on its limit is decided by no number of seeds")
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
