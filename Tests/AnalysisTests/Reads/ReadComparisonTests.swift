import ResultModel
import Testing

@testable import Analysis

@Suite("Two runs read by read")
struct ReadComparisonTests {
  private static func line(
    _ action: Int, _ outcome: Metric, at: Int64 = 0, read: String = "inbox", policy: String = "a",
    difference: ReadLine.Difference? = nil, waited: Int64? = 0
  ) -> ReadLine {
    ReadLine(
      scenario: "chat", policy: policy, seed: 1, client: "phone", action: action, at: at,
      read: read, outcome: outcome, waited: waited, age: nil, difference: difference)
  }

  @Test("Reads are matched by action; what differs is counted by outcomes and listed by time")
  func comparison() throws {
    let first = [
      Self.line(1, .hitFresh, at: 30), Self.line(2, .hitFresh, at: 20),
      Self.line(3, .missCold, at: 10), Self.line(4, .hitFresh, at: 5), Self.line(9, .failed),
    ]
    let second = [
      Self.line(4, .hitFresh, at: 6), Self.line(3, .missCold, waited: 7),
      Self.line(2, .missExpired), Self.line(1, .missExpired),
    ]
    let comparison = try ReadComparison(first, second)
    #expect(comparison.inBoth == 4)
    #expect([comparison.onlyInFirst, comparison.onlyInSecond] == [1, 0])
    #expect(comparison.differing.map(\.first.action) == [2, 1])
    #expect(
      comparison.changes == [.init(first: .hitFresh, second: .missExpired, reads: 2)])
  }

  @Test("Two stale reads differ where they are wrong in different rows")
  func stale() throws {
    func run(_ word: String, _ row: Int) -> [ReadLine] {
      [Self.line(1, .hitStale, difference: .init(word: word, row: row))]
    }
    #expect(try ReadComparison(run("older", 2), run("older", 2)).differing.isEmpty)
    #expect(try ReadComparison(run("older", 2), run("older", 3)).differing.count == 1)
    #expect(try ReadComparison(run("older", 2), run("missing", 2)).differing.count == 1)
  }

  @Test("Changes of equal counts stand in the order of their outcomes' names")
  func order() throws {
    let first = [Self.line(1, .partial), Self.line(2, .hitFresh), Self.line(3, .hitFresh)]
    let second = [Self.line(1, .hitFresh), Self.line(2, .partial), Self.line(3, .failed)]
    let changes = try ReadComparison(first, second).changes
    #expect(
      changes.map { "\($0.first.name) \($0.second.name)" } == [
        "hit_fresh failed", "hit_fresh partial", "partial hit_fresh",
      ])
  }

  @Test("Runs of other workloads are not compared")
  func faults() {
    #expect(throws: ReadComparison.Fault.nothingInCommon) {
      try ReadComparison([Self.line(1, .failed)], [Self.line(2, .failed)])
    }
    let (mine, yours) = (Self.line(1, .failed), Self.line(1, .failed, read: "people"))
    #expect(throws: ReadComparison.Fault.otherWorkload(mine, yours)) {
      try ReadComparison([mine], [yours])
    }
  }
}
