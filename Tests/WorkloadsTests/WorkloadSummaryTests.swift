import CacheModel
import Testing

@testable import Workloads

@Suite("What a stream is like")
struct WorkloadSummaryTests {
  @Test("A query is seen before where the same client has asked it, whatever others did")
  func seenBefore() throws {
    let scenario = try SessionTests.scenario(session: SessionTests.everything, duration: "10 min")
    let workload = Workload.generate(scenario, seed: 2)
    #expect(workload.clients.count == 2)
    var reads = 0
    var seen = 0
    for client in workload.clients {
      let asked = client.actions.compactMap { action -> UInt32? in
        switch action.kind {
        case .read(let query), .observe(let query): query
        case .redraw, .unobserve, .tag, .open, .write, .upkeep: nil
        }
      }
      reads += asked.count
      // Each query is new to a client once.
      seen += asked.count - Set(asked).count
    }
    let summary = WorkloadSummary(of: workload)
    #expect(summary.clients == 2)
    #expect(summary.queryReads == reads)
    #expect(summary.seenBefore == seen)
    #expect(seen > 20)
  }
}
