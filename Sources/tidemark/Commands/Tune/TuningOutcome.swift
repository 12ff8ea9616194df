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
  /// Whose runs ended early, or cannot be relied on, and why.
  var failures: [ContenderFailure] = []

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
      columns: search.study.parameters.map(\.name))
  }

  /// What comes first: the best.
  var lines: [String] {
    // Of the log of an app it is not known what was fresh, so none is best.
    guard let line, search.study.inputs.allSatisfy({ $0.recordedTruth != .observed }) else {
      return []
    }
    let scenarios = search.study.inputs.count
    return [scenarios > 1 ? "\(scenarios) scenarios in one, \(line.text)" : line.text]
  }

  /// The scenarios in their order, each with the study that it is part of.
  var sections: [(input: SimulationInput, study: TuningStudy, place: Int)] {
    studies.flatMap { study in
      study.inputs.indices.map { (study.inputs[$0], study, $0) }
    }
  }
}
