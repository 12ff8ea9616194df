package import Analysis
import ResultModel

/// A verdict as JUnit XML, in the dialect that Jenkins' `junit-10.xsd` describes: a suite for each
/// scenario, a case for each policy and target.
///
/// What got worse is a `failure`; what is missing, inconclusive or not comparable is an `error`, and
/// nothing is ever `skipped`.
package enum GateJUnit {
  package static func document(_ verdict: Verdict) -> String {
    let entries = GateResults(verdict).entries
    let suites = entries.distinct(\.scenario).map { scenario in
      suite(scenario, entries.filter { $0.scenario == scenario })
    }
    return JUnit.document(name: "tidemark gate", suites)
  }

  private static func suite(_ scenario: String, _ entries: [GateResults.Entry]) -> JUnit.Suite {
    JUnit.Suite(
      name: scenario,
      cases: entries.map { entry in
        let outcome: JUnit.Outcome =
          switch entry.level {
          case .passed: .passed
          case .failed: .failure(entry.message)
          case .doubtful: .error(entry.message)
          }
        return JUnit.Case(name: entry.name, outcome: outcome)
      })
  }
}
