import ResultModel
import Testing

@testable import Analysis

@Suite("Users that were recorded as replicates")
struct FewUsersTests {
  private static let point = 0.01

  private static let contenders = [
    Crafted("worse", behind: 2 * point), Crafted("best"), Crafted("near", behind: point),
  ]

  private static func few(_ verdict: ShipVerdict) -> Unvalidated? {
    if case .bestOfFewUsers(let few) = verdict.outcome { few } else { nil }
  }

  @Test("With fewer than four users the best is named with its lead, and no claim is made")
  func few() throws {
    for count in 1...3 {
      let verdict = Self.contenders.verdict(by: .plain, plan: .users(count))
      let few = try #require(Self.few(verdict))
      #expect(few.best == ["best"])
      #expect(few.runnerUp == "near")
      #expect(abs((few.lead ?? 0) - Self.point) < 1e-9)
      #expect(verdict.choice == [])
      #expect(verdict.replicate == .user)
      #expect(verdict.standings.allSatisfy { $0.fate == .left })
    }
    let level = [Crafted("one"), Crafted("two")].verdict(by: .plain, plan: .users(2))
    #expect(Self.few(level)?.best == ["one", "two"])
    #expect(Self.few(level)?.lead == nil)
  }

  @Test("From four users on intervals decide, as they do for as many seeds")
  func enough() {
    for count in [4, 10] {
      let users = Self.contenders.verdict(by: .plain, plan: .users(count))
      let seeds = Self.contenders.verdict(by: .plain, plan: .fixed(count))
      #expect(users.outcome == seeds.outcome)
      #expect(users.recommendation?.contender == "best")
    }
  }

  @Test("A contender over a limit is never named, however few users there are")
  func limits() {
    let stale = Constraint(Figure(.staleReadShare), .atMost, 0.01)
    let rule = Goal.freshReads(subjectTo: [stale], limits: nil)
    let contenders = [
      Crafted("stale", [.init(.staleReadShare): 0.2]),
      Crafted("true", behind: 3 * Self.point, [.init(.staleReadShare): 0.002]),
    ]
    for count in 1...3 {
      let verdict = contenders.verdict(by: rule, plan: .users(count))
      #expect(Self.few(verdict)?.best == ["true"])
      #expect(Self.few(verdict)?.runnerUp == nil)
    }
    let none = [contenders[0]].verdict(by: rule, plan: .users(1))
    #expect(Self.few(none)?.best == [])
  }
}
