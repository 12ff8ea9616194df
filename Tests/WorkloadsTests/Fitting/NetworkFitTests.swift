import CacheModel
import Testing

@testable import WorkloadExplanation
@testable import Workloads

@Suite("Links fitted to a recording")
struct NetworkFitTests {
  @Test("How long events took is unknown of an app that dates changes by their arrival")
  func undatedEvents() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    let asked = NetworkSection()
    let measured = NetworkFit(workload)
    #expect(measured.delay.isMeasured && measured.jitter.isMeasured)
    for client in workload.clients.indices {
      for index in workload.clients[client].deliveries.indices {
        guard
          case .event(let mutation) = workload.clients[client].deliveries[index].content
        else { continue }
        workload.clients[client].deliveries[index].at = workload.mutations[Int(mutation)].at
      }
    }
    let known = NetworkFit(workload)
    #expect(known.delay.isMeasured && known.delay.value == 0)
    workload.truth = .observed
    let unknown = NetworkFit(workload)
    for (estimate, standIn) in [(unknown.delay, asked.delay), (unknown.jitter, asked.jitter)] {
      #expect(!estimate.isMeasured && estimate.value == Double(standIn.wholeNanoseconds))
      #expect(estimate.origin == "the default: the log dates changes by their arrival")
    }
  }
}
