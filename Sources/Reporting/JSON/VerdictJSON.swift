package import Analysis
package import ResultModel
package import Text

/// `verdict.json`: the outcome of a gate with every changed figure by name, for scripts.
package enum VerdictJSON {
  /// Increased whenever a member no longer has the same meaning.
  static let version = 3

  package static func document(_ verdict: Verdict) throws(NotFinite) -> [UInt8] {
    try JSONWriter.document(
      .object([
        JSONMember("verdict_version", .integer(Int64(version))),
        JSONMember("schema_version", .integer(Int64(ResultSchema.version))),
        JSONMember("outcome", .string(verdict.outcome.rawValue)),
        JSONMember("exit_code", .integer(Int64(verdict.outcome.exitCode))),
        JSONMember("strict", .bool(verdict.isStrict)),
        JSONMember("equal_figures", .integer(Int64(verdict.equalFigures))),
        JSONMember("runs", .integer(Int64(verdict.comparedRuns))),
        JSONMember("equal_runs", .integer(Int64(verdict.equalRuns))),
        JSONMember("changed_policies", .array(verdict.changedPolicies.map(object))),
        JSONMember("counts", counts(verdict.findings)),
        JSONMember(
          "incompatibilities",
          .array(
            verdict.incompatibilities.map { .string($0.explanation(renewal: verdict.renewal)) })),
        JSONMember("contender_changes", .array(verdict.contenderChanges.flatMap(fields))),
        JSONMember("findings", .array(verdict.findings.map(object))),
        JSONMember("failed_runs", .array(verdict.failedRuns.map(object))),
        JSONMember("measured", .array(verdict.measured.map(object))),
        JSONMember("not_compared", .array(verdict.untested.map(JSONValue.string))),
        JSONMember("targets", .array(verdict.targets.map(object))),
      ]))
  }

  private static func counts(_ findings: [Finding]) -> JSONValue {
    .object(
      Finding.Kind.allCases.map { kind in
        JSONMember(kind.rawValue, .integer(Int64(findings.count { $0.kind == kind })))
      })
  }

  private static func fields(_ change: ScenarioChange) -> [JSONValue] {
    change.fields.map {
      .object([
        JSONMember("scenario", .string(change.scenario)),
        JSONMember("field", .string($0.path)),
        JSONMember("baseline", .optional($0.baseline)),
        JSONMember("candidate", .optional($0.candidate)),
      ])
    }
  }

  private static func object(_ change: PolicyChange) -> JSONValue {
    .object([
      JSONMember("scenario", .string(change.contender.scenario)),
      JSONMember("policy", .string(change.contender.policy)),
      JSONMember("seeds", .array(change.seeds.map { $0.map(JSONValue.unsigned) ?? .null })),
      JSONMember("compared", .integer(Int64(change.compared))),
      JSONMember("named", .bool(change.isNamed)),
    ])
  }

  private static func object(_ run: FailedRun) -> JSONValue {
    .object([
      JSONMember("scenario", .string(run.contender.scenario)),
      JSONMember("policy", .string(run.contender.policy)),
      JSONMember("reason", .string(run.reason)),
    ])
  }

  private static func object(_ finding: Finding) -> JSONValue {
    let kind = JSONMember("kind", .string(finding.kind.rawValue))
    return .object(
      [kind] + members(finding.figure) + [
        JSONMember("seeds", .integer(Int64(finding.seeds))),
        JSONMember("baseline", number(finding.baseline)),
        JSONMember("candidate", number(finding.candidate)),
        JSONMember("difference", number(finding.difference)),
        JSONMember("half_width", number(finding.halfWidth)),
      ])
  }

  private static func object(_ finding: MeasuredFinding) -> JSONValue {
    let outcome = [
      JSONMember("outcome", .string(finding.outcome.rawValue)),
      JSONMember("noise_class", .string(finding.figure.metric.noiseClass.rawValue)),
    ]
    return .object(
      outcome + members(finding.figure) + [
        JSONMember("rounds", .integer(Int64(finding.rounds))),
        JSONMember("baseline", number(finding.baseline)),
        JSONMember("candidate", number(finding.candidate)),
        JSONMember("change", number(finding.change)),
        JSONMember("change_low", number(finding.interval?.lowerBound)),
        JSONMember("change_high", number(finding.interval?.upperBound)),
        JSONMember("could_see", number(finding.detectable)),
        JSONMember("reason", .optional(finding.reason)),
      ])
  }

  private static func members(_ figure: FigureIdentity) -> [JSONMember] {
    [
      JSONMember("scenario", .string(figure.scenario)),
      JSONMember("policy", .string(figure.policy)),
      JSONMember("class", .string(figure.class.description)),
      JSONMember("metric", .string(figure.metric.name)),
      JSONMember("statistic", .string(figure.statistic.rawValue)),
      JSONMember("unit", .string(figure.metric.unit.rawValue)),
    ]
  }

  private static func number(_ value: Double?) -> JSONValue {
    value.map(JSONValue.real) ?? .null
  }

  private static func object(_ comparison: TargetComparison) -> JSONValue {
    let judgement = comparison.judgement
    let target = judgement.target
    return .object([
      JSONMember("scenario", .string(target.scenario)),
      JSONMember("policy", .string(judgement.policy)),
      JSONMember("class", .string(target.class.description)),
      JSONMember("metric", .string(target.metric.name)),
      JSONMember("statistic", .string(target.statistic.rawValue)),
      JSONMember("comparison", .string(target.comparison.rawValue)),
      JSONMember("limit", .real(target.limit)),
      JSONMember("measured", JSONValue(judgement.measured)),
      JSONMember("baseline", JSONValue(comparison.baseline?.measured)),
      JSONMember("seed", judgement.seed.map(JSONValue.unsigned) ?? .null),
      JSONMember("outcome", .string(comparison.word)),
      JSONMember("reason", .optional(judgement.outcome.reason)),
    ])
  }
}

/// Result rows as JSON, with the columns of the tidy CSV as members; missing is `null`.
package enum ResultRowsJSON {
  /// Returns one array with one object per row, each on one line.
  package static func array(
    _ rows: [ResultRow], added: AddedColumns? = nil
  ) throws(ExportError) -> [UInt8] {
    var bytes = Array("[".utf8)
    for (index, row) in rows.enumerated() {
      bytes += Array((index == 0 ? "\n" : ",\n").utf8)
      let more = zip(added?.names ?? [], added?.cells(ofRow: index) ?? []).map { name, cell in
        JSONMember(name, cell.isEmpty ? .null : .string(cell))
      }
      bytes += try line(row, more).dropLast()
    }
    bytes += Array("\n]\n".utf8)
    return bytes
  }

  private static func line(
    _ row: ResultRow, _ more: [JSONMember]
  ) throws(ExportError) -> [UInt8] {
    try row.checkStatistic()
    do {
      return try JSONWriter.line(.object(members(row) + more))
    } catch {
      throw .value(of: row.identity.description, problem: error.description)
    }
  }

  private static func members(_ row: ResultRow) -> [JSONMember] {
    [
      JSONMember("scenario", .string(row.scenario)),
      JSONMember("policy", .string(row.policy)),
      JSONMember("seed", row.seed.map(JSONValue.unsigned) ?? .null),
      JSONMember("class", .string(row.class.description)),
      JSONMember("metric", .string(row.metric.name)),
      JSONMember("statistic", .string(row.statistic.rawValue)),
      JSONMember("value", JSONValue(row.value)),
      JSONMember("unit", .string(row.metric.unit.rawValue)),
      JSONMember("noise_class", .string(row.metric.noiseClass.rawValue)),
      JSONMember("n", row.sampleCount.map { .integer($0) } ?? .null),
      JSONMember("ci_low", row.confidenceInterval.map { .real($0.lowerBound) } ?? .null),
      JSONMember("ci_high", row.confidenceInterval.map { .real($0.upperBound) } ?? .null),
      JSONMember("schema_version", .integer(ResultSchema.version)),
    ]
  }
}

extension JSONValue {
  /// The value, or null.
  init(_ value: MetricValue?) {
    switch value {
    case nil: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    }
  }
}
