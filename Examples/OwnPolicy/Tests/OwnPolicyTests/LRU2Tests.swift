import CacheSimulation
import Foundation
import OwnPolicy
import Testing
import TidemarkTestSupport

@Suite("LRU-2")
struct LRU2Tests {
  private let policy = EvictionPolicyDescriptor(LRU2.self)

  @Test("keeps every guarantee of EvictionPolicy")
  func conforms() throws {
    try checkConformance(of: policy)
  }

  @Test("lets what was used once go before what was used twice")
  func picture() {
    #expect(victims(of: policy, capacity: 3, "aabcde") == "----bc")
    #expect(outcomes(of: policy, capacity: 3, "aabcdea") == "mhmmmmh")
  }

  @Test("runs over a committed scenario, and does otherwise than lru")
  func scenario() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../../Scenarios/tight-memory.yaml")
    let stream = try SimulatedScenario(Data(contentsOf: file), file: file.path).stream()
    let lru = try stream.run(policy: "lru")
    let own = try stream.run(evictionOrder: policy)
    #expect(own.reads.count == lru.reads.count)
    #expect(own.value(of: .hitRatio) != lru.value(of: .hitRatio))
  }
}
