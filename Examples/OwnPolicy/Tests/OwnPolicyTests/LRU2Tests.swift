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

  @Test("evicts entities used once before those used twice")
  func picture() {
    #expect(victims(of: policy, capacity: 3, "aabcde") == "----bc")
    #expect(outcomes(of: policy, capacity: 3, "aabcdea") == "mhmmmmh")
  }

  @Test("runs over a committed scenario, and does otherwise than lru")
  func scenario() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../../Scenarios")
    func bytes(_ name: String) throws -> [UInt8] {
      try Array(Data(contentsOf: folder.appendingPathComponent(name)))
    }
    let stream = try SimulatedScenario(
      bytes("tight-memory.yaml"), file: "tight-memory.yaml",
      models: ["files": bytes("models/files.yaml")]
    ).stream()
    let lru = try stream.run(policy: "lru")
    let own = try stream.run(evictionOrder: policy)
    #expect(own.reads.count == lru.reads.count)
    #expect(own.value(of: .hitRatio) != lru.value(of: .hitRatio))
  }
}
