import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("A run over its time")
struct TimelineTests {
  @Test("Reads are counted in the part in which they were made, those of the warm-up too")
  func reads() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.warmUp = .seconds(30)
    // The first waits, the others are hits.
    for second in [5, 12, 13, 47] { tiny.act(.read(query: 0), at: Double(second)) }
    let result = try Simulation(of: tiny.workload).run(
      policy: "a", composition: composition(), timelineParts: 10)
    let timeline = try #require(result.timeline)
    #expect(timeline.partNanoseconds == 10_000_000_000)
    #expect(timeline.parts.map(\.reads) == [1, 2, 0, 0, 1, 0, 0, 0, 0, 0])
    #expect(timeline.parts.map(\.freshHits) == [0, 2, 0, 0, 1, 0, 0, 0, 0, 0])
    #expect(timeline.parts.allSatisfy { $0.staleHits == 0 && $0.failures == 0 })
  }

  @Test("Resident entities are a mean over the part")
  func entities() {
    var timeline = Timeline(duration: .seconds(25), parts: 3)
    let second: Int64 = 1_000_000_000
    // Parts of 8⅓ seconds: the first holds 4 for 5 s and 10 for the rest.
    timeline.note(entities: 4, from: 0, to: 5 * second)
    timeline.note(entities: 10, from: 5 * second, to: 40 * second)
    let means = timeline.parts.map(\.entities)
    #expect((means[0] - 6.4).magnitude < 0.001)
    #expect((means[1] - 10).magnitude < 0.001 && (means[2] - 10).magnitude < 0.001)
  }

  @Test("It is another view of the same run, which it does not change")
  func sameRun() throws {
    let simulation = Simulation(of: try TalkScenario.workload(seed: 3))
    let plain = try simulation.run(policy: "a", composition: composition())
    let shown = try simulation.run(policy: "a", composition: composition(), timelineParts: 7)
    #expect(plain.rows == shown.rows)
    #expect(plain.timeline == nil)
  }
}
