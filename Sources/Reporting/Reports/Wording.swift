import Analysis
import ResultModel
package import Text

// The words of reports for the cases of the analysis, in one place.

extension Incompatibility {
  /// Returns the problem and the fix.
  func explanation(renewal: String) -> String {
    switch self {
    case .emptyBaseline: "the baseline has no rows; make one with `\(renewal)`"
    case .otherScenarios(let scenarios):
      "the baseline has rows, but none of \(scenarios.joined(separator: ", ")); make one of them with "
        + "`tidemark bench SCENARIO --baseline --output DIR`, and give it as --baseline DIR"
    case .schemaVersion(let baseline, let expected):
      "the baseline has schema version \(baseline), this build writes \(expected); renew it with "
        + "`\(renewal)`"
    case .candidateVersion(let version, let expected):
      "the candidate has schema version \(version), this build compares \(expected); make it again with "
        + "this build"
    case .unreadable(let reason): reason
    case .noCommonRun(let scenario, let baseline, let candidate):
      "\(scenario): the baseline has \(Self.text(baseline)), and this run \(Self.text(candidate)), so "
        + "there is nothing to compare; renew the baseline with `\(renewal)`"
    case .workloadChanged(let change):
      "\(change.scenario): its workload is not the baseline's: \(GateReport.text(change.fields)); "
        + "renew the baseline with `\(renewal)`"
    case .scenarioWithoutContent(let scenario):
      "the baseline has rows of scenario \(scenario), but not what happens in it; renew it with "
        + "`\(renewal)`"
    case .duplicateRow(let identity):
      "the baseline has two rows for \(identity); renew it with `\(renewal)`"
    }
  }

  private static func text(_ seeds: [UInt64?]) -> String {
    (seeds.count == 1 ? "seed " : "seeds ")
      + seeds.map { $0.map { "\($0)" } ?? "of a recording" }.joined(separator: ", ")
  }
}

extension TargetJudgement.Outcome {
  /// The outcome in one word, for columns of scripts.
  var word: String {
    switch self {
    case .met: "met"
    case .missed: "missed"
    case .inconclusive: "inconclusive"
    case .missing: "missing"
    }
  }

  var reason: String? {
    switch self {
    case .met, .missed: nil
    case .inconclusive(let reason), .missing(let reason): reason
    }
  }

  /// The outcome for people, without its reason.
  var shortPhrase: String {
    if case .missing = self { "no data" } else { word }
  }

  /// The outcome for people.
  var phrase: String { shortPhrase + (reason.map { ": \($0)" } ?? "") }

  var tone: Tone {
    switch self {
    case .met: .good
    case .missed: .bad
    case .inconclusive, .missing: .doubtful
    }
  }
}

extension MeasuredFinding.Outcome {
  var tone: Tone {
    switch self {
    case .worse: .bad
    case .error, .inconclusive: .doubtful
    case .better, .same: .good
    }
  }
}

extension TargetComparison {
  /// The outcome in one word, for columns of scripts.
  var word: String {
    outcome == .stillMissed ? "still_missed" : judgement.outcome.word
  }

  var phrase: String {
    if isMissedByMore { return "missed by more than in the baseline" }
    return outcome == .stillMissed ? "missed, as in the baseline" : judgement.outcome.phrase
  }

  var tone: Tone {
    outcome == .stillMissed ? .doubtful : judgement.outcome.tone
  }
}

extension Finding.Kind {
  var tone: Tone {
    switch self {
    case .worse, .removed: .bad
    case .better: .good
    case .missing, .invalid, .changed: .doubtful
    case .added, .addedContender: .plain
    }
  }
}

extension Target {
  /// The metric with class and statistic: `hit_ratio[file]`, `update_to_notify[single] p99`.
  var name: String {
    metric.label(statistic, class: self.class)
  }

  /// Returns the value in its unit, with every digit if rounding would show it at the limit.
  func measuredText(_ value: MetricValue?) -> String {
    let text = HumanNumber.text(value, unit: metric.unit)
    guard let value, value.asDouble != limit,
      text == HumanNumber.text(.real(limit), unit: metric.unit)
    else { return text }
    return "\(text) (\(value.asDouble))"
  }

  /// The limit in its unit: `≥ 90.0 %`.
  var limitText: String {
    let sign = comparison == .atLeast ? "≥" : "≤"
    return "\(sign) \(HumanNumber.text(.real(limit), unit: metric.unit))"
  }
}

extension TargetJudgement {
  /// The measured value, and for several seeds the seed: `50.0 % in seed 4`.
  var measuredText: String {
    let text = target.measuredText(measured)
    guard seeds > 1, measured != nil, let seed else { return text }
    return "\(text) in seed \(seed)"
  }
}

/// The registry of metrics for `list metrics`, for people and for scripts.
package enum MetricCatalogue {
  package static func table() -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("metric"), TextTable.Column("unit"), TextTable.Column("better"),
      TextTable.Column("noise"), TextTable.Column("statistics"), TextTable.Column("definition"),
    ])
    for metric in MetricRegistry.all {
      let better =
        switch metric.polarity {
        case .higherIsBetter: "higher"
        case .lowerIsBetter: "lower"
        case .neutral: "–"
        }
      table.append([
        metric.name, metric.unit.rawValue, better, metric.noiseClass.rawValue,
        metric.statistics.map(\.rawValue).joined(separator: " "), metric.definition,
      ])
    }
    return table
  }

  package static func json() throws(NotFinite) -> [UInt8] {
    try JSONWriter.document(
      .array(
        MetricRegistry.all.map { metric in
          .object([
            JSONMember("name", .string(metric.name)),
            JSONMember("unit", .string(metric.unit.rawValue)),
            JSONMember("polarity", .string(metric.polarity.rawValue)),
            JSONMember("noise_class", .string(metric.noiseClass.rawValue)),
            JSONMember("statistics", .array(metric.statistics.map { .string($0.rawValue) })),
            JSONMember("definition", .string(metric.definition)),
            JSONMember("not_comparable_with", .optional(metric.notComparableWith)),
            JSONMember("noise_control", .optional(metric.noiseControl?.name)),
          ])
        }))
  }
}
