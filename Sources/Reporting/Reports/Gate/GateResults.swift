import Analysis
import ResultModel

/// What a gate found, one entry for each policy of a scenario, each target and each scenario that cannot
/// be compared: what the formats of continuous integration are made of.
struct GateResults {
  struct Entry {
    var scenario: String
    /// A policy, or a policy and its target.
    var name: String
    var level: Level
    /// One line with the numbers.
    var message: String
  }

  enum Level: Int, Comparable {
    case failed, doubtful, passed

    static func < (first: Level, second: Level) -> Bool { first.rawValue < second.rawValue }
  }

  /// The worst first, then in the order of the report.
  let entries: [Entry]

  init(_ verdict: Verdict) {
    var entries = verdict.incompatibilities.map { incompatibility in
      Entry(
        scenario: incompatibility.scenario ?? "baseline", name: "workload", level: .doubtful,
        message: incompatibility.explanation)
    }
    entries += verdict.failedRuns.map {
      Entry(
        scenario: $0.contender.scenario, name: $0.contender.policy, level: .doubtful,
        message: $0.reason)
    }
    var seen: Set<[String]> = []
    for kind in Finding.Kind.allCases {
      let level = Self.level(of: kind, in: verdict)
      for owner in GateReport.owners(of: kind, in: verdict) {
        let figure = owner.headline.figure
        seen.insert([figure.scenario, figure.policy])
        entries.append(
          Entry(
            scenario: figure.scenario, name: figure.policy, level: level,
            message: GateReport.message(kind, owner)))
      }
    }
    for change in verdict.changedPolicies where !change.isNamed {
      seen.insert([change.contender.scenario, change.contender.policy])
      entries.append(
        Entry(
          scenario: change.contender.scenario, name: change.contender.policy,
          level: verdict.isStrict ? .failed : .doubtful, message: GateReport.message(change)))
    }
    let unseen = verdict.contenders.filter { !seen.contains([$0.scenario, $0.policy]) }
    entries += unseen.map {
      Entry(scenario: $0.scenario, name: $0.policy, level: .passed, message: "the same")
    }
    entries += verdict.measured.map { finding in
      let figure = finding.figure
      return Entry(
        scenario: figure.scenario,
        name: (figure.policy.isEmpty ? "" : "\(figure.policy): ")
          + "\(figure.metric.name)[\(figure.class)]",
        level: finding.outcome == .worse
          ? .failed : finding.outcome.leavesDoubt ? .doubtful : .passed,
        message: MeasuredText.message(finding, among: verdict.measured))
    }
    entries += verdict.targets.map { comparison in
      let judgement = comparison.judgement
      return Entry(
        scenario: judgement.target.scenario,
        name: (judgement.policy.isEmpty ? "" : "\(judgement.policy): ") + judgement.target.name,
        level: Self.level(of: comparison.outcome), message: GateReport.message(comparison))
    }
    self.entries = entries.enumerated().sorted {
      ($0.element.level, $0.offset) < ($1.element.level, $1.offset)
    }.map(\.element)
  }

  private static func level(of kind: Finding.Kind, in verdict: Verdict) -> Level {
    if kind.fails(isStrict: verdict.isStrict) { return .failed }
    return kind.leavesDoubt ? .doubtful : .passed
  }

  private static func level(of outcome: TargetComparison.Outcome) -> Level {
    switch outcome {
    case .missed: .failed
    case .undecided: .doubtful
    case .met, .stillMissed: .passed
    }
  }
}
