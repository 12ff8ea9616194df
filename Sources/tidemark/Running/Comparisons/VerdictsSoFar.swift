import Analysis
import CommandLineInterface
import Reporting
import Synchronization

/// What comparisons would come to if they ended now, for whoever interrupts them.
final class VerdictsSoFar: Sendable {
  private let scenarios: [String]
  private let verdicts = Mutex<[Int: ShipVerdict]>([:])

  init(_ scenarios: [String]) { self.scenarios = scenarios }

  func take(_ verdict: ShipVerdict, at place: Int) {
    verdicts.withLock { $0[place] = verdict }
  }

  /// A line for each scenario that was looked at, in their order.
  func write() {
    let known = verdicts.withLock { $0 }
    ProgressLine.clear()
    Console.note("interrupted; what was decided so far, without checks of robustness:")
    for (place, scenario) in scenarios.enumerated() {
      guard let verdict = known[place] else { continue }
      let line = BenchSummary.line(
        of: ScenarioVerdict(scenario: scenario, verdict: verdict), style: Console.style)
      // Nothing more can be done where it cannot be written.
      try? Console.write(line)
    }
  }
}
