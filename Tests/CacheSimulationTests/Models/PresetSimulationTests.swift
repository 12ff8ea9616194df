import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@Suite("An app under every preset", .timeLimit(.minutes(30)))
struct PresetSimulationTests {
  @Test("Outcomes sum to reads by the model's classes, and nothing diverges", arguments: 1...3)
  func invariants(seed: UInt64) throws {
    let workload = try TalkScenario.workload(seed: seed)
    let simulation = Simulation(of: workload)
    let classes = ["inbox", "thread", "pins", "feed", "search", "page", "both"]
    for preset in Preset.all {
      let composition = preset.composition(
        Preset.Allowance(
          capacity: Capacity(entities: seed == 1 ? 10_000 : 60), maximumQueries: 20,
          freshness: Freshness(timeToLive: .seconds(30))))
      let rows = try simulation.run(policy: preset.name, composition: composition).rows
      func value(_ metric: Metric, _ name: ResultClass = "total") -> Double {
        rows.first { $0.class == name && $0.metric == metric }?.value?.asDouble ?? -1
      }
      #expect(value(.notificationsMissed) == 0, "\(preset.name)")
      if composition.promisesConvergence {
        #expect(value(.divergentQueries) == 0, "\(preset.name)")
        #expect(value(.divergentEntities) == 0, "\(preset.name)")
      }
      #expect(value(.reads) > 100)
      #expect(classes.reduce(0) { $0 + value(.reads, ResultClass($1)) } == value(.reads))
      if preset.name == "no-cache" { #expect(value(.hitRatio) == 0) }
      if preset.name == "unbounded" { #expect(value(.hitFresh) > 0) }
    }
  }

  @Test("A page behind a cursor lists what comes after it")
  func pages() throws {
    let workload = try TalkScenario.workload(seed: 1)
    #expect(workload.queries.contains { $0.after != Revision.noObject })
  }
}
