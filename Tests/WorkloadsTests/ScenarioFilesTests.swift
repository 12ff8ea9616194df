import CacheModel
import CacheTestSupport
import Testing

@testable import WorkloadExplanation
@testable import Workloads

@Suite("The scenario files")
struct ScenarioFilesTests {
  /// Into how many parts a run is divided, of which one is drawn: all of a long one takes ten seconds.
  private static let parts = Trials.count(4, of: 1)

  /// Drawn once for all that is asked of it.
  @Test(
    "parse, generate, and ask a question that their reads can answer",
    arguments: ScenarioFiles.names)
  func isWorthAVerdict(_ name: String) throws {
    let whole = try ScenarioFiles.load(name)
    var scenario = whole
    #expect("\(scenario.name).yaml" == name)
    // Faults and jobs have their times, visits and new entities their days.
    let hasTimes =
      !scenario.faults.isEmpty || AxisValue.hasIndex(scenario) || scenario.duration >= .days(1)
    let parts = hasTimes ? 1 : Self.parts
    scenario.duration = .nanoseconds(scenario.duration.wholeNanoseconds / Int64(parts))
    let workload = Workload.generate(scenario)
    #expect(violations(of: workload) == [])
    #expect(
      workload.clients.contains {
        !$0.actions.isEmpty && $0.deliveries.isEmpty != workload.pushesEvents
      })
    expectEstimate(of: scenario, isNear: workload)
    #expect(StreamCheck(workload, against: scenario).deviations.map(\.name) == [])
    expectQuestion(in: try ScenarioFiles.text(name))
    if WorkloadSummary(of: workload).countedReads < 5_000 / parts {
      // Rare, long steps may be too few in a part.
      #expect(WorkloadSummary(of: Workload.generate(whole)).countedReads >= 5_000)
    }
  }

  private func expectQuestion(in text: String) {
    for words in ["Question: ", "Likely winner: ", "Depends on: "] {
      // Of running text, whose lines may break anywhere.
      #expect(text.replacing("\n# ", with: " ").contains(words), "\(words)")
    }
  }

  @Test("include two weeks in visits, sizes of three orders of magnitude, and no events")
  func variety() throws {
    let scenarios = try ScenarioFiles.names.map { try ScenarioFiles.load($0) }
    let weeks = scenarios.filter {
      $0.duration >= .days(7) && $0.users.contains { $0.visits != nil }
    }
    #expect(weeks.count >= 2)
    let sizes = scenarios.flatMap { $0.model.types }.map(\.size)
    #expect(
      sizes.contains { size in
        guard case .pareto(let least, let most, _) = size else { return false }
        return most >= 1_000 * least
      })
    #expect(scenarios.contains { $0.network.events == .none })
    #expect(scenarios.contains { ($0.cache.capacity.memory ?? .max) <= 5_000_000 })
    // Users are notified of new entities in two activities of five.
    #expect(
      scenarios.contains { scenario in
        scenario.users.contains { group in
          let calls = group.activities.filter { activity in
            if case .notified? = activity.steps.first?.action { true } else { false }
          }
          return calls.reduce(0) { $0 + $1.share } >= 0.4
        }
      })
  }

  /// The expectation before the draws, compared with the result.
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
      isNear(size.deliveries, deliveries) || deliveries == 0 && size.deliveries == 0
        || !scenario.faults.isEmpty && size.deliveries > Double(deliveries),
      "\(size.deliveries) of \(deliveries) deliveries")
    let states = size.initialStates + size.devices.reduce(0) { $0 + $1.states }
    #expect(
      isNear(states, workload.catalog.revisions.count),
      "\(states) of \(workload.catalog.revisions.count) states")
    let groups = scenario.users
    let actions = zip(groups.map(\.clients), size.sessions).reduce(0) {
      $0 + Double($1.0) * $1.1.actions
    }
    let drawn = workload.clients.reduce(0) { $0 + $1.actions.count }
    #expect(isNear(actions, drawn), "\(actions) of \(drawn) actions")
  }
}
