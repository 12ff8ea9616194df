import Testing

@testable import Workloads

@Suite("The scenario files")
struct ScenarioFilesTests {
  @Test("parse, generate, and keep every invariant", arguments: ScenarioFiles.names)
  func generates(_ name: String) throws {
    let scenario = try ScenarioFiles.load(name)
    #expect("\(scenario.name).yaml" == name)
    let workload = Workload.generate(scenario)
    #expect(violations(of: workload) == [])
    #expect(workload.clients.contains { !$0.actions.isEmpty && !$0.deliveries.isEmpty })
  }
}
