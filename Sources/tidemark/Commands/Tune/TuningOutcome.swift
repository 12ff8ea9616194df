import Analysis
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

/// What a search found, and all that it ran.
struct TuningOutcome {
  let search: TuningSearch
  /// One of all scenarios, or one for each where they compare different policies.
  let studies: [TuningStudy]
  /// Over all scenarios; `nil` where there is no total.
  let line: BestLine?
  var importance: KnobImportance?
  /// Whose runs ended early, or cannot be relied on, and why.
  var failures: [ContestantFailure] = []

  init(search: TuningSearch, studies: [TuningStudy], line: BestLine?) {
    self.search = search
    self.studies = studies
    self.line = line
    failures = studies.flatMap(\.failures)
  }

  /// A setting that can be had again elsewhere.
  struct Best {
    let policy: String
    let trial: Int
    let plan: SearchPlan
    let columns: [String]

    /// The same in another scenario.
    func setting(in file: ScenarioFile) throws -> TunedSetting? {
      try plan.settings(
        of: file, policies: [policy], columns: columns, trials: trial..<(trial + 1)
      ).first
    }
  }

  /// Who is named.
  var best: Best? {
    guard let line, let name = line.setting, let study = studies.first,
      let place = study.labels.firstIndex(of: name)
    else { return nil }
    let setting = study.settings[0][place]
    return Best(
      policy: setting.policy, trial: setting.trial, plan: search.study.plan,
      columns: search.study.knobs.map(\.name))
  }

  /// What comes first: the best, then which knob matters.
  var lines: [String] {
    var lines = [String]()
    // Of the log of an app it is not known what was fresh, so none is best.
    if let line, search.study.sessions.allSatisfy({ $0.recordedTruth != .observed }) {
      let scenarios = search.study.sessions.count
      lines.append(scenarios > 1 ? "\(scenarios) scenarios in one, \(line.text)" : line.text)
    }
    if let importance {
      lines += importance.lines.map { "  \($0)" }
      if search.study.plan.method == .morris, !importance.idle.isEmpty {
        lines.append(
          "  leave \(importance.idle.joined(separator: ", ")) alone, and ask --method variance of the rest"
        )
      }
    }
    return lines
  }

  /// The scenarios in their order, each with the study that it is part of.
  var sections: [(session: Session, study: TuningStudy, place: Int)] {
    studies.flatMap { study in
      study.sessions.indices.map { (study.sessions[$0], study, $0) }
    }
  }
}
