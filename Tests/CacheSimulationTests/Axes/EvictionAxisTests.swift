import CacheModel
import CacheSimulation
import EvictionPolicies
import ResultModel
import Testing
import Workloads

@Suite("Every eviction order and admission, in a small workload", .timeLimit(.minutes(30)))
struct EvictionAxisTests {
  @Test(
    "B57 keeps every promise, within both limits, with and without retention",
    arguments: EvictionPolicies.forCaches.map(\.name))
  func order(name: String) throws {
    let simulation = try Simulation(of: RandomWorkloadTests.workload(seed: 2))
    let place = try #require(EvictionPolicies.forCaches.firstIndex { $0.name == name })
    // Each order meets two admissions, so that each admission meets two orders in three.
    for (index, admission) in AdmissionPolicies.all.enumerated() where index != place % 3 {
      let composition = CachePolicy(
        evictionOrder: name, admission: admission.name,
        capacity: Capacity(entities: 60, bytes: 40_000, highWatermark: 0.9, lowWatermark: 0.9),
        retention: index == 1 ? .observed : .none,
        freshness: Freshness(timeToLive: .seconds(20)), maximumQueries: 20)
      let rows = try simulation.run(policy: name, composition: composition).rows
      func value(_ metric: Metric) -> Double? {
        rows.first { $0.class == "total" && $0.metric == metric }?.value?.asDouble
      }
      let label = "\(name), \(admission.name)"
      #expect(value(.notificationsMissed) == 0, "\(label)")
      #expect(value(.divergentQueries) == 0, "\(label)")
      #expect(value(.divergentEntities) == 0, "\(label)")
      #expect((value(.reads) ?? 0) > 10, "\(label)")
      let isBounded = EvictionPolicies.named(name)?.isBounded == true
      #expect(((value(.evictions) ?? 0) > 0) == isBounded, "\(label)")
    }
  }
}
