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

  @Test("Reads are matched by action; differences are counted by outcome and listed by time")
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
    #expect(comparison.waited == (0, 7))
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

  @Test("Changes of equal counts are in the order of their outcomes' names")
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

@Suite("Why one served more fresh reads than another")
struct ReadMarginTests {
  @Test("Reads are paired; reads that both or neither served fresh explain nothing")
  func pairs() {
    var margin = ReadMargin()
    margin.count(winner: .hitFresh, runnerUp: .missExpired, reads: 600)
    margin.count(winner: .missExpired, runnerUp: .hitFresh, reads: 16)
    margin.count(winner: .hitFresh, runnerUp: .hitStale)
    margin.count(winner: .partial, runnerUp: .hitFresh, reads: 40)
    margin.count(winner: .hitFresh, runnerUp: .hitFresh, reads: 9_000)
    margin.count(winner: .partial, runnerUp: .missExpired, reads: 700)
    #expect(
      margin.causes == [
        .init(outcome: .missExpired, lost: 600, regained: 16),
        .init(outcome: .hitStale, lost: 1, regained: 0),
        .init(outcome: .partial, lost: 0, regained: 40),
      ])
    #expect(margin.causes.map(\.net) == [584, 1, -40])
    #expect(margin.reads == 545)
    #expect(margin.main == .init(outcome: .missExpired, lost: 600, regained: 16))
    #expect(margin.ranked.map(\.outcome) == [.missExpired, .hitStale, .partial])
  }

  @Test("The sum is the difference in fresh reads, whatever the reads")
  func sum() {
    let outcomes = [Metric.hitFresh, .hitStale, .partial, .missCold, .failed]
    var margin = ReadMargin()
    var turned = ReadMargin()
    var difference = 0
    for read in 0..<997 {
      let (winner, runnerUp) = (outcomes[read * read % 11 % 5], outcomes[read * 7 % 13 % 5])
      margin.count(winner: winner, runnerUp: runnerUp)
      turned.count(winner: runnerUp, runnerUp: winner)
      difference += (winner == .hitFresh ? 1 : 0) - (runnerUp == .hitFresh ? 1 : 0)
    }
    #expect(difference != 0)
    #expect(margin.reads == difference)
    #expect(turned.reads == -difference)
    #expect(!margin.causes.contains { $0.outcome == .hitFresh })
  }

  @Test("Reads of one cause add up, in both directions")
  func addsUp() {
    var margin = ReadMargin()
    margin.count(winner: .hitFresh, runnerUp: .partial, reads: 3)
    margin.count(winner: .partial, runnerUp: .hitFresh, reads: 2)
    margin.count(winner: .hitFresh, runnerUp: .missCold, reads: 5)
    #expect(
      margin.causes == [
        .init(outcome: .partial, lost: 3, regained: 2),
        .init(outcome: .missCold, lost: 5, regained: 0),
      ])
  }

  @Test("The main cause is by the net, of equals by the reads lost, then by name")
  func ranks() {
    var margin = ReadMargin()
    margin.count(winner: .hitFresh, runnerUp: .partial, reads: 900)
    margin.count(winner: .partial, runnerUp: .hitFresh, reads: 880)
    margin.count(winner: .hitFresh, runnerUp: .missEvicted, reads: 30)
    margin.count(winner: .hitFresh, runnerUp: .missCold, reads: 20)
    margin.count(winner: .hitFresh, runnerUp: .coalesced, reads: 20)
    #expect(margin.ranked.map(\.outcome) == [.missEvicted, .partial, .coalesced, .missCold])
    #expect(margin.main?.outcome == .missEvicted)
  }

  @Test("No cause is claimed if the runner-up lost as many reads")
  func nothingToExplain() {
    #expect(ReadMargin().main == nil)
    #expect(ReadMargin().reads == 0)
    var margin = ReadMargin()
    margin.count(winner: .partial, runnerUp: .hitFresh, reads: 2)
    margin.count(winner: .hitFresh, runnerUp: .partial, reads: 2)
    #expect(margin.main == nil)
  }
}
