import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Outcomes read by read")
struct ReadOutcomesTests {
  @Test(
    "Two policies on one workload are compared read by read; the differences add up to the margin")
  func comparison() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 5)
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.open(object: file), at: 40)
    let simulation = Simulation(of: tiny.workload)
    let keeps = try simulation.run(policy: "keeps", composition: composition())
    let expires = try simulation.run(
      policy: "expires", composition: composition(timeToLive: .seconds(10)))
    let (gained, lost) = keeps.outcomes.freshHits(against: expires.outcomes)
    #expect(gained.map(\.outcome) == [.missExpired])
    #expect(gained.map(\.reads) == [2])
    #expect(lost.isEmpty)
    let margin = keeps.clients[0].freshHits - expires.clients[0].freshHits
    #expect(margin == gained.map(\.reads).reduce(0, +) - lost.map(\.reads).reduce(0, +))
    let reverse = expires.outcomes.freshHits(against: keeps.outcomes)
    #expect(reverse.lost.map(\.reads) == [2])
    #expect(reverse.gained.isEmpty)
  }

  @Test("Reads of the warm-up and redraws are no reads to compare")
  func leftOut() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.warmUp = .seconds(3)
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.redraw(query: 0), at: 4)
    tiny.act(.read(query: 0), at: 5)
    let result = try Simulation(of: tiny.workload).run(policy: "a", composition: composition())
    let none = ReadOutcomes.none
    #expect(result.outcomes.places == [none, none, UInt8(Outcome.hitFresh.ordinal)])
    #expect(result.clients[0].reads == 1)
  }
}
