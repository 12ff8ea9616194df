import Analysis
import ResultModel
import Testing

@Suite("Why one served more fresh reads than another")
struct ReadMarginTests {
  @Test("Reads pair up; what both served fresh, or neither, explains nothing")
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

  @Test("The sum is the fresh reads of the one less those of the other, whatever the reads")
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

  @Test("Where the runner-up has as many, nothing is claimed")
  func nothingToExplain() {
    #expect(ReadMargin().main == nil)
    #expect(ReadMargin().reads == 0)
    var margin = ReadMargin()
    margin.count(winner: .partial, runnerUp: .hitFresh, reads: 2)
    margin.count(winner: .hitFresh, runnerUp: .partial, reads: 2)
    #expect(margin.main == nil)
  }
}
