import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// The exact figures of a gate: scenarios simulated anew, or a stored report, beside the baseline.
///
/// The same seed gives the same number, so a change of the code that moves a figure nearly always moves it
/// in the first seeds. They are run first, and the others only of scenarios where something differs: there
/// the mean difference over all of them decides.
struct ExactPart {
  let sessions: [Session]
  let committed: ResultSet
  let isStrict: Bool

  /// How many seeds of a scenario are run before it is known whether the others are needed.
  static let firstLook = 2

  /// Judges rows that were stored.
  func verdict(on stored: ResultSet) throws -> Verdict {
    Gate.compare(
      baseline: committed, candidate: stored, targets: try targets(), isStrict: isStrict)
  }

  /// Simulates, and judges what came of it.
  func verdict(runsEverySeed: Bool, _ progress: ProgressLine) async throws -> Verdict {
    let targets = try targets()
    let kept = BaselineRows(targets: targets)
    var failures: [ContestantFailure] = []
    var claims: [String: String] = [:]
    func rows(of sessions: [Session], seeds: (Int) -> Int) async throws -> [ResultRow] {
      let verdicts = try await Verdicts.run(
        sessions.map { session in
          session.comparison(
            of: try session.file.contestants([]), seed: nil,
            seeds: .fixed(seeds(committed.seeds(of: session.name).count)))
        }, isRobustnessAsked: false, progress: progress)
      failures += verdicts.failures.filter { !failures.contains($0) }
      claims.merge(verdicts.claims) { first, _ in first }
      return verdicts.everySeed.filter(kept.keeps)
    }
    var candidate = ResultSet(
      scenarios: sessions.map(\.identity),
      rows: try await rows(of: sessions) { known in
        runsEverySeed ? max(1, known) : min(max(1, known), Self.firstLook)
      })
    // Of who failed, or cannot be relied on, nothing is compared.
    func compared(_ set: ResultSet) -> ResultSet {
      var set = set
      let out = Set(failures.map(\.contender))
      set.rows.removeAll {
        out.contains(ContenderIdentity(scenario: $0.scenario, policy: $0.policy))
      }
      return set
    }
    let differing = runsEverySeed ? [] : scenariosThatDiffer(from: candidate)
    let again = sessions.filter {
      differing.contains($0.name) && committed.seeds(of: $0.name).count > Self.firstLook
    }
    if !again.isEmpty {
      let names = Set(again.map(\.name))
      candidate.rows.removeAll { names.contains($0.scenario) }
      candidate.rows += try await rows(of: again) { $0 }
    }
    candidate.scenarios = sessions.map { $0.identity(claims: claims) }
    candidate = compared(candidate)
    let baseline = compared(committed)
    candidate.rowsNotRun = rowsNotRun(by: candidate, of: baseline)
    var verdict = Gate.compare(
      baseline: baseline, candidate: candidate, targets: asked(targets, without: failures),
      isStrict: isStrict)
    verdict.failedRuns = failures.filter { !$0.hasFigures }
      .map { FailedRun($0.contender, reason: $0.description) }
    verdict.untested += failures.filter(\.hasFigures).map(\.description)
    let incomparable = Set(verdict.incompatibilities.map(\.scenario))
    verdict.untested += untested(
      candidate.rowsNotRun.filter { !incomparable.contains($0.scenario) })
    return verdict
  }

  private func targets() throws -> [Target] {
    try sessions.flatMap { $0.file.targets(for: try $0.file.contestants([])) }
  }

  /// What is asked of the others.
  private func asked(_ targets: [Target], without failures: [ContestantFailure]) -> [Target] {
    targets.compactMap { target in
      var target = target
      target.policies.removeAll { policy in
        failures.contains {
          $0.contender == ContenderIdentity(scenario: target.scenario, policy: policy)
        }
      }
      return target.policies.isEmpty ? nil : target
    }
  }

  /// The scenarios of which a first look found anything that is not as in the baseline.
  private func scenariosThatDiffer(from first: ResultSet) -> Set<String> {
    var baseline = committed
    let ran = Set(first.rows.map { Draw($0) })
    baseline.rows = committed.rows.filter { ran.contains(Draw($0)) }
    let verdict = Gate.compare(baseline: baseline, candidate: first, targets: [])
    return Set(
      verdict.findings.map(\.figure.scenario) + verdict.contenderChanges.map(\.scenario))
  }

  /// The baseline's rows of seeds that were left out.
  private func rowsNotRun(by candidate: ResultSet, of committed: ResultSet) -> [ResultRow] {
    let ran = Set(candidate.rows.map { Draw($0) })
    let scenarios = Set(candidate.rows.map(\.scenario))
    return committed.rows.filter { scenarios.contains($0.scenario) && !ran.contains(Draw($0)) }
  }

  private func untested(_ rows: [ResultRow]) -> [String] {
    let count = rows.distinct { Draw($0) }.count
    guard count > 0 else { return [] }
    let scenarios = rows.distinct(\.scenario).count
    return [
      "\(count) later seeds of \(scenarios) \(scenarios == 1 ? "scenario" : "scenarios"): the first "
        + "\(Self.firstLook) are the same (--every-seed runs them too)"
    ]
  }

  /// One stream of a scenario.
  private struct Draw: Hashable {
    let scenario: String
    let seed: UInt64?

    init(_ row: ResultRow) {
      scenario = row.scenario
      seed = row.seed
    }
  }
}

extension ResultSet {
  fileprivate func seeds(of scenario: String) -> [UInt64?] {
    rows.filter { $0.scenario == scenario }.distinct(\.seed)
  }
}
