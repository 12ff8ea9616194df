import Analysis
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

struct TuningOutcome {
  let search: TuningSearch
  /// One study of all scenarios, or one for each if they compare different policies.
  let studies: [TuningStudy]
  /// The total over all scenarios; `nil` if there is none.
  let line: BestLine?
  /// Contenders whose runs ended early, or are not reproducible.
  var failures: [ContenderFailure] = []

  init(search: TuningSearch, studies: [TuningStudy], line: BestLine?) {
    self.search = search
    self.studies = studies
    self.line = line
    failures = studies.flatMap(\.failures)
  }

  /// The best setting, which can be reproduced elsewhere.
  struct Best {
    let policy: String
    let trial: Int
    let plan: SearchPlan
    let columns: [String]

    func setting(in file: ScenarioFile) throws -> TunedSetting? {
      try plan.settings(
        of: file, policies: [policy], columns: columns, trials: trial..<(trial + 1)
      ).first
    }
  }

  var best: Best? {
    guard let line, let name = line.setting, let study = studies.first,
      let place = study.labels.firstIndex(of: name)
    else { return nil }
    let setting = study.settings[0][place]
    return Best(
      policy: setting.policy, trial: setting.trial, plan: search.study.plan,
      columns: search.study.parameters.map(\.name))
  }

  /// The first lines: the best setting.
  var lines: [String] {
    // In an app's log freshness is unknown, so no setting is best.
    guard let line, search.study.inputs.allSatisfy({ $0.recordedTruth != .observed }) else {
      return []
    }
    let scenarios = search.study.inputs.count
    return [scenarios > 1 ? "\(scenarios) scenarios in one, \(line.text)" : line.text]
  }

  /// The scenarios in order, each with its study.
  var sections: [(input: SimulationInput, study: TuningStudy, place: Int)] {
    studies.flatMap { study in
      study.inputs.indices.map { (study.inputs[$0], study, $0) }
    }
  }
}

struct BestLine {
  var verdict: ShipVerdict
  var trials: Int
  /// How many settings had every seed; `nil`: all of them.
  var left: Int?

  /// The best setting, or the nearest to it; `nil` if none has the figures.
  var setting: String? {
    switch verdict.outcome {
    case .ship(let recommendation): recommendation.contender
    case .equivalent(let equivalence): equivalence.preferred.first
    case .notDecided(let indecision): indecision.leader ?? indecision.left.first
    case .noneFeasible(let shortfall): shortfall.nearest
    case .bestOfOneSeed(let best): best.first
    case .bestOfFewUsers(let few): few.best.first
    case .nobody: nil
    }
  }

  var text: String {
    let seeds = verdict.replicate.text(verdict.seeds)
    let of =
      "best of \(trials) \(trials == 1 ? "trial" : "trials")"
      + (left.map { ", \($0) left" } ?? "")
    switch verdict.outcome {
    case .ship(let recommendation):
      var text = "\(of): \(figures(recommendation.contender)) (\(seeds))"
      if let lead = recommendation.lead, let runnerUp = recommendation.runnerUp {
        text += "; \(VerdictText.difference(lead, verdict.rule)) ahead of \(runnerUp)"
      }
      return text
    case .equivalent(let equivalence):
      let others = equivalence.contenders.count - 1
      let first = equivalence.preferred.first ?? ""
      let rest =
        others > 0
        ? "; \(others) \(others == 1 ? "other is" : "others are") equivalent for all that matters"
        : ""
      return "\(of): \(figures(first)) (\(seeds))\(rest)"
    case .notDecided(let indecision):
      guard let leader = indecision.leader else {
        return "\(of): not decided, since whether a limit is kept is open of "
          + indecision.left.prefix(3).joined(separator: ", ") + " (\(seeds))"
      }
      let doubtful = indecision.left.count {
        verdict.standing(of: $0)?.judgements.contains { $0.outcome == .notDecided } == true
      }
      let others = indecision.left.count - 1 - doubtful
      let rest = [
        others > 0
          ? "\(others) \(others == 1 ? "other is" : "others are") not significantly different"
          : nil,
        doubtful > 0
          ? "of \(doubtful) \(doubtful == 1 ? "other" : "others") it is open whether a limit is kept"
          : nil,
      ].compactMap(\.self)
      let needed =
        indecision.seedsNeeded.map {
          "; about \($0) \(verdict.replicate.rawValue)s needed to decide"
        }
        ?? ""
      return (["\(of) so far: \(figures(leader)) (\(seeds))"] + rest).joined(separator: "; ")
        + needed
    case .noneFeasible(let shortfall):
      let missed = shortfall.broken.first.map { judgement in
        let limit = judgement.constraint
        return " meets \(limit.figure.name) \(limit.comparison == .atMost ? "≤" : "≥") "
          + HumanNumber.text(.real(limit.limit), unit: limit.figure.unit) + "; nearest: "
          + "\(shortfall.nearest) with "
          + HumanNumber.text(.real(judgement.value), unit: limit.figure.unit)
      }
      let all = "\(trials) trial\(trials == 1 ? "" : "s")"
      return "none of \(all)\(missed ?? " keeps the limits") (\(seeds))"
    case .bestOfOneSeed(let best):
      guard let first = best.first else { return "none of \(trials) keeps the limits in this seed" }
      let others = best.count - 1
      return "best of one seed, not a verdict: \(first)"
        + (others > 0 ? " and \(others) that \(others == 1 ? "is" : "are") level with it" : "")
    case .bestOfFewUsers(let few):
      guard let first = few.best.first else {
        return "none of \(trials) keeps the limits in the mean of \(seeds)"
      }
      let others = few.best.count - 1
      return "best of \(seeds), not validated: \(first)"
        + (others > 0 ? " and \(others) that \(others == 1 ? "is" : "are") level with it" : "")
        + "; record more users, \(verdict.replicate.fewestForInterval) or more"
    case .nobody:
      return "no setting has the figures that decide"
    }
  }

  /// Returns a setting with its mean, and its values of constrained figures.
  private func figures(_ setting: String) -> String {
    guard let standing = verdict.standing(of: setting) else { return setting }
    var parts: [String] = []
    if let mean = standing.objective {
      let figure = verdict.rule.objective
      parts.append(
        HumanNumber.interval(mean.mean, mean.halfWidth, unit: figure.unit) + " \(figure.name)")
    }
    for judgement in standing.judgements where judgement.constraint.scope == .mean {
      let figure = judgement.constraint.figure
      parts.append("\(figure.name) \(HumanNumber.text(.real(judgement.value), unit: figure.unit))")
    }
    return parts.isEmpty ? setting : "\(setting): " + parts.joined(separator: ", ")
  }
}

/// A runnable scenario: the first one, with the best setting as its only policy.
struct BestScenario {
  private let bytes: [UInt8]

  /// - Throws: ``CommandFailure`` if there is no best setting, or no scenario file was read.
  init(_ found: TuningOutcome, _ study: TuningTask) throws {
    if case .noneFeasible? = found.line?.verdict.outcome {
      throw CommandFailure(.data, "--best: no setting keeps the limits, so nothing is written")
    }
    guard let best = found.best else {
      throw CommandFailure(
        .data, "--best: nothing is best over all scenarios, so nothing is written")
    }
    guard let input = study.inputs.first, var document = input.file.document else {
      throw CommandFailure(
        .input,
        "--best: a recording is no scenario file; add --scenario FILE, whose policy it becomes")
    }
    var own: [(field: String, value: String)] = []
    for (parameter, value) in zip(best.plan.parameters, best.plan.values(of: best.trial)) {
      switch parameter.owner {
      case .cache: document = try document.setting("cache.\(parameter.field.name)", to: value)
      case .policy: own.append((parameter.field.name, value))
      // It is in the command.
      case .command: continue
      }
    }
    if let command = try best.setting(in: input.file)?.cache.command {
      bytes =
        document.replacingPolicies(by: [
          (name: best.policy, base: .command(command), fields: [])
        ]).yaml
      return
    }
    let entry = document.policy(best.policy) ?? (preset: best.policy, fields: [])
    let kept = entry.fields.filter { field in !own.contains { $0.field == field.field } }
    let isOwn = !(kept + own).isEmpty || entry.preset != best.policy
    bytes =
      document.replacingPolicies(by: [
        (
          name: own.isEmpty ? best.policy : isOwn ? "best" : best.policy,
          base: .preset(entry.preset),
          fields: kept + own
        )
      ]).yaml
  }

  func write(to path: String) throws {
    try OutputFile.write(bytes, to: path)
  }
}

/// The judgement of a search on unseen data, in lines.
struct JudgementText {
  var judgement: Judgement
  var rule: Goal
  var scenarios: [String]
  /// "20 fresh seeds".
  var replicates: String
  var trials: Int

  var lines: [String] {
    let on = "judged once on \(scenarios.joined(separator: ", ")) with \(replicates)"
    let own = judgement.mean.map {
      ", \(HumanNumber.interval($0.mean, $0.halfWidth, unit: rule.objective.unit)) "
        + rule.objective.name
    }
    let head =
      judgement.isBetter
      ? "found: \(judgement.found) "
        + (judgement.rivals.isEmpty
          ? "keeps the limits, and no rival does"
          : "beats every rival"
            + (judgement.rivals.count < judgement.leads.count ? " that keeps the limits" : ""))
        + (own ?? "")
      : "none found in \(trials) trials that beats every rival beyond doubt; best: "
        + "\(judgement.found)\(own ?? "")"
    let limits = judgement.broken.map { broken in
      "  it does not keep \(broken.constraint.figure.name) "
        + "\(broken.constraint.comparison == .atMost ? "≤" : "≥") "
        + HumanNumber.text(.real(broken.constraint.limit), unit: broken.constraint.figure.unit)
        + " beyond doubt: "
        + HumanNumber.text(.real(broken.value), unit: broken.constraint.figure.unit)
    }
    return [on + ": " + head] + limits + judgement.leads.map(line)
  }

  private func line(_ lead: Judgement.Lead) -> String {
    let broken = lead.broken.isEmpty ? "" : ", which breaks a limit"
    guard let interval = lead.interval else {
      return "  \(lead.rival)\(broken): a figure is missing"
    }
    let difference = VerdictText.difference(interval, rule)
    // "Behind" implies the sign.
    let amount = interval.high < 0 ? String(difference.drop { $0 == "-" }) : difference
    let word =
      interval.low > 0
      ? "ahead of" : interval.high < 0 ? "behind" : "not significantly different from"
    return "  \(amount) \(word) \(lead.rival)\(broken)"
  }
}
