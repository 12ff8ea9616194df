import Analysis
import CacheSimulation
import Testing
import Workloads

@testable import CommandLineInterface
@testable import tidemark

@Suite("Contenders that do the same", .timeLimit(.minutes(30)))
struct EqualContenderTests {
  @Test("Of equals none is first for having been named first", arguments: [1, 3])
  func order(seeds: Int) async throws {
    let input = SimulationInput(
      try ScenarioFile(Array(SmallScenario.yaml.utf8), path: "small.yaml"))
    let lru = try #require(try input.file.contenders(["lru"]).first)
    let names = ["b", "a", "c"]
    var verdicts: [ShipVerdict] = []
    for order in [names, names.reversed()] {
      let contenders = order.map { Contender(name: $0, cache: lru.cache) }
      let comparison = input.comparison(of: contenders, seed: 1, seeds: .fixed(seeds))
      let results = try await ComparisonRunner.run([comparison])
      verdicts.append(try #require(results.first?.verdict))
    }
    #expect(verdicts[0] == verdicts[1])
    #expect(verdicts[0].standings.map(\.contender) == ["a", "b", "c"])
  }
}
