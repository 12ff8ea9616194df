import EvictionPolicies
import Testing
import TidemarkTestSupport

@Suite("Every policy of the registry", .timeLimit(.minutes(30)))
struct ConformanceTests {
  static let names = EvictionPolicies.all.map(\.name)
  static let capacities: [Int?] = [nil, 0, 1, 2, 3, 8, 33]

  @Test("keeps the guarantees of EvictionPolicy", arguments: names, capacities)
  func conforms(name: String, capacity: Int?) throws {
    let descriptor = try #require(EvictionPolicies.named(name))
    for seed in 1...6 as ClosedRange<UInt64> {
      try checkConformance(of: descriptor, capacity: capacity, seed: seed)
    }
  }

  @Test("has a line without faults")
  func lines() {
    #expect(registryFaults(in: EvictionPolicies.all) == [])
  }

  @Test("is found by its name, and nothing else is")
  func lookup() {
    for name in Self.names { #expect(EvictionPolicies.named(name)?.name == name) }
    #expect(EvictionPolicies.named("LRU") == nil)
    #expect(EvictionPolicies.named("") == nil)
  }
}
