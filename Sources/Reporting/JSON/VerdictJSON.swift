package import Analysis
import Metrics
package import Text

/// `verdict.json`: the outcome of a gate with every difference by name, for scripts.
package enum VerdictJSON {
  package static func document(_ verdict: Verdict) throws(NotFinite) -> [UInt8] {
    try JSONWriter.document(
      .object([
        JSONMember("schema_version", .integer(ResultSchema.version)),
        JSONMember("outcome", .string(verdict.outcome.rawValue)),
        JSONMember("exit_code", .integer(verdict.outcome.exitCode)),
        JSONMember("equal_rows", .integer(verdict.equalRows)),
        JSONMember("counts", counts(verdict.differences)),
        JSONMember(
          "incompatibilities",
          .array(verdict.incompatibilities.map { .string($0.explanation) })),
        JSONMember("differences", .array(verdict.differences.map(object))),
        JSONMember("targets", .array(verdict.targets.map(object))),
      ]))
  }

  private static func counts(_ differences: [Difference]) -> JSONValue {
    .object(
      Difference.Kind.allCases.map { kind in
        JSONMember(kind.rawValue, .integer(differences.count { $0.kind == kind }))
      })
  }

  private static func object(_ difference: Difference) -> JSONValue {
    .object([
      JSONMember("kind", .string(difference.kind.rawValue)),
      JSONMember("scenario", .string(difference.identity.scenario)),
      JSONMember("policy", .string(difference.identity.policy)),
      JSONMember("seed", difference.identity.seed.map(JSONValue.unsigned) ?? .null),
      JSONMember("class", .string(difference.identity.class)),
      JSONMember("metric", .string(difference.identity.metric.name)),
      JSONMember("statistic", .string(difference.identity.statistic.rawValue)),
      JSONMember("baseline", JSONValue(difference.baseline)),
      JSONMember("candidate", JSONValue(difference.candidate)),
    ])
  }

  private static func object(_ comparison: TargetComparison) -> JSONValue {
    let judgement = comparison.judgement
    let target = judgement.target
    return .object([
      JSONMember("scenario", .string(target.scenario)),
      JSONMember("policy", .string(judgement.policy)),
      JSONMember("class", .string(target.class)),
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
