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
    expectEstimate(of: scenario, isNear: workload)
  }

  /// What was expected before anything was drawn, against what was.
  private func expectEstimate(of scenario: Scenario, isNear workload: Workload) {
    let size = WorkloadSize(of: scenario)
    func isNear(_ estimate: Double, _ count: Int) -> Bool {
      // Chance, lost events, and operations that found nothing to do.
      (0.5...2.5).contains(estimate / Double(max(1, count)))
    }
    let operations = size.devices.reduce(0) { $0 + $1.operations }
    #expect(isNear(operations, workload.mutations.count), "\(operations) operations")
    let deliveries = workload.clients.reduce(0) { $0 + $1.deliveries.count }
    // To a client that is offline nothing is delivered.
    #expect(
      isNear(size.deliveries, deliveries)
        || !scenario.faults.isEmpty && size.deliveries > Double(deliveries),
      "\(size.deliveries) of \(deliveries) deliveries")
    let states = size.initialStates + size.devices.reduce(0) { $0 + $1.states }
    #expect(
      isNear(states, workload.catalog.revisions.count),
      "\(states) of \(workload.catalog.revisions.count) states")
    let actions = zip(scenario.sessions, size.sessions).reduce(0) {
      $0 + Double($1.0.clients) * $1.1.actions
    }
    let drawn = workload.clients.reduce(0) { $0 + $1.actions.count }
    #expect(isNear(actions, drawn), "\(actions) of \(drawn) actions")
  }
}
