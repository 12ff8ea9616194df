import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// The exact figures of a gate: newly simulated scenarios, or a stored report, compared with the baseline.
///
/// Runs are compared by their digests of all exact figures. The same seed gives the same numbers, so a code
/// change that affects a figure nearly always changes it in the first seeds. They are run first, and the
/// others only for scenarios with a differing digest: there the mean difference of the main figures over all
/// seeds decides.
struct ExactPart {
  let inputs: [SimulationInput]
  let committed: ResultSet
  let isStrict: Bool
  /// The revision that made the baseline, to list all differences; `nil`: only main figures are listed.
  var against: String?
  var caches: [String] = []
  /// The options for scenarios lent to recordings, and for identifying their users.
  var recordings: [String] = []

  /// The number of seeds run before deciding whether the others are needed.
  static let firstLook = 2

  func verdict(on stored: ResultSet) throws -> Verdict {
    let targets = try targets()
    var stored = stored
    stored.rows = stored.rows.filter(isNamed(targets))
    return Gate.compare(
      baseline: committed, candidate: stored, targets: targets, isStrict: isStrict)
  }

  /// Returns a filter for the figures compared by name: the baseline's, and those of targets.
  private func isNamed(_ targets: [Target]) -> (ResultRow) -> Bool {
    let figures = Set(committed.rows.map(MainFigure.init(of:)) + BaselineTable.figures(targets))
    return { figures.contains(MainFigure(of: $0)) }
  }

  /// Simulates, and judges the results.
  func verdict(runsEverySeed: Bool, _ progress: ProgressLine) async throws -> Verdict {
    let targets = try targets()
    var failures: [ContenderFailure] = []
    var claims: [String: String] = [:]
    func rows(of inputs: [SimulationInput], seeds: (Int) -> Int) async throws -> [ResultRow] {
      let verdicts = try await Verdicts.run(
        inputs.map { input in
          input.comparison(
            of: try input.file.contenders([]), seed: nil,
            seeds: .fixed(seeds(committed.seeds(of: input.name).count)))
        }, isRobustnessAsked: false, progress: progress)
      failures += verdicts.failures.filter { !failures.contains($0) }
      claims.merge(verdicts.claims) { first, _ in first }
      return verdicts.everySeed
    }
    var exact = try await rows(of: inputs) { known in
      // What the baseline lacks is judged by its targets alone, which take all of these seeds.
      known == 0 ? TargetJudge.seeds : runsEverySeed ? known : min(known, Self.firstLook)
    }
    func set(_ exact: [ResultRow]) -> ResultSet {
      ResultSet(
        scenarios: inputs.map(\.identity), rows: exact.filter(isNamed(targets)),
        digests: RunDigest.all(of: exact))
    }
    // Policies that failed, or are not reproducible, are not compared.
    func compared(_ set: ResultSet) -> ResultSet {
      var set = set
      let whole = set.rows.count
      let out = Set(failures.map(\.contender))
      set.rows.removeAll {
        out.contains(ContenderIdentity(scenario: $0.scenario, policy: $0.policy))
      }
      set.lacksFailedPolicies = set.rows.count < whole
      set.digests.removeAll {
        out.contains(ContenderIdentity(scenario: $0.scenario, policy: $0.policy))
      }
      return set
    }
    let differing = runsEverySeed ? [] : scenariosThatDiffer(from: set(exact))
    let again = inputs.filter {
      differing.contains($0.name) && committed.seeds(of: $0.name).count > Self.firstLook
    }
    let names = Set(again.map(\.name))
    if !again.isEmpty {
      exact.removeAll { names.contains($0.scenario) }
      exact += try await rows(of: again) { $0 }
    }
    var candidate = set(exact)
    candidate.scenarios = inputs.map { $0.identity(claims: claims) }
    candidate = compared(candidate)
    let baseline = compared(committed)
    if !runsEverySeed {
      candidate.rowsNotRun = rowsNotRun(by: candidate, of: baseline, exceptIn: names)
    }
    var verdict = Gate.compare(
      baseline: baseline, candidate: candidate, targets: asked(targets, without: failures),
      isStrict: isStrict)
    if let against, !verdict.changedPolicies.isEmpty {
      try await list(exact, of: baseline, in: &verdict, against: against, progress)
    }
    verdict.failedRuns = failures.filter { !$0.hasFigures }
      .map { FailedRun($0.contender, reason: $0.description) }
    verdict.untested += failures.filter(\.hasFigures).map(\.description)
    let incomparable = Set(verdict.incompatibilities.map(\.scenario))
    guard !incomparable.contains(nil) else { return verdict }
    verdict.untested += untested(
      candidate.rowsNotRun.filter { !incomparable.contains($0.scenario) })
    return verdict
  }

  /// Lets the other build simulate the scenarios with a differing digest, and lists the differences.
  private func list(
    _ exact: [ResultRow], of baseline: ResultSet, in verdict: inout Verdict, against name: String,
    _ progress: ProgressLine
  ) async throws {
    let names = Set(verdict.changedPolicies.map(\.contender.scenario))
    let changed = inputs.filter { names.contains($0.name) }
    let before = try await TerminationSignals.cancelling { [caches, recordings] in
      let revision = try await OtherRevision.build(name, .core, progress: progress)
      var rows: [ResultRow] = []
      for input in changed {
        progress.report("\(name): \(input.name)")
        let contenders = try input.file.contenders([])
        rows += try await revision.rows(
          of: input, seeds: baseline.seeds(of: input.name).count,
          options: caches + (input.isDrawn ? [] : recordings)
        ).filter { row in
          contenders.first { $0.name == row.policy }?.cache.isMeasured(row.metric) ?? false
        }
      }
      return rows
    }
    let others = verdict.list(
      from: before, to: exact, of: baseline.digests,
      recorded: Set(inputs.filter { !$0.isDrawn }.map(\.name)))
    guard !others.isEmpty else { return }
    verdict.untested.append(
      "figures below the main ones of "
        + others.map { "\($0.scenario)/\($0.policy)" }.joined(separator: ", ")
        + ": \(name) does not have the baseline's either; name the revision that made the baseline")
  }

  private func targets() throws -> [Target] {
    try inputs.flatMap { $0.file.targets(for: try $0.file.contenders([])) }
  }

  private func asked(_ targets: [Target], without failures: [ContenderFailure]) -> [Target] {
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

  /// Returns the scenarios for which a first look found any difference from the baseline.
  private func scenariosThatDiffer(from first: ResultSet) -> Set<String> {
    var baseline = committed
    let ran = Set(first.rows.map { Draw($0) })
    baseline.rows = committed.rows.filter { ran.contains(Draw($0)) }
    let verdict = Gate.compare(baseline: baseline, candidate: first, targets: [])
    return Set(
      verdict.findings.map(\.figure.scenario) + verdict.contenderChanges.map(\.scenario)
        + verdict.changedPolicies.map(\.contender.scenario))
  }

  /// Returns the baseline's rows of the seeds left out because the first ones are equal.
  ///
  /// Any other seed that was not run is missing.
  private func rowsNotRun(
    by candidate: ResultSet, of committed: ResultSet, exceptIn whole: Set<String>
  ) -> [ResultRow] {
    let ran = Set(candidate.rows.map { Draw($0) })
    let later = Set(
      candidate.rows.distinct(\.scenario).filter { !whole.contains($0) }.flatMap { scenario in
        self.committed.seeds(of: scenario).dropFirst(Self.firstLook)
          .map { Draw(scenario: scenario, seed: $0) }
      })
    return committed.rows.filter { later.contains(Draw($0)) && !ran.contains(Draw($0)) }
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

  fileprivate struct Draw: Hashable {
    let scenario: String
    let seed: UInt64?
  }
}

extension ExactPart.Draw {
  fileprivate init(_ row: ResultRow) {
    self.init(scenario: row.scenario, seed: row.seed)
  }
}
