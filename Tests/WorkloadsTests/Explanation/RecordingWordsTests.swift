import CacheModel
import Testing

@testable import WorkloadExplanation
@testable import Workloads

@Suite("A recording in words")
struct RecordingWordsTests {
  @Test("The bytes of pushed events are those of their deliveries, without answers to own writes")
  func pushedBytes() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    for number in workload.mutations.indices { workload.mutations[number].bytes = 1_000 }
    workload.mutations[3].bytes = 500
    workload.mutations[4].author = 0
    let end = workload.mutations[4].at
    for (client, events) in ([[2, 2, 3, 4], [4]] as [[UInt32]]).enumerated() {
      workload.clients[client].deliveries = events.map {
        Delivery(at: end, content: .event(mutation: $0))
      }
    }
    let lines = RecordingWords(workload, rows: { _ in [] }).sections.flatMap(\.lines)
    #expect(lines.contains { $0 == "4 events were pushed, of 3.5 kB in all." }, "\(lines)")
  }
}
