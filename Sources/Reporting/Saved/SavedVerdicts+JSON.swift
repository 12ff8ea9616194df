package import Text

extension SavedVerdicts {
  /// `verdicts.json`.
  package func document() throws(NotFinite) -> [UInt8] {
    try JSONWriter.document(
      .object([
        JSONMember("verdicts_version", .integer(verdictsVersion)),
        JSONMember("scenarios", .array(scenarios.map(\.json))),
        JSONMember("targets", .array(targets.map(\.json))),
        JSONMember("unasked", .integer(unasked)),
        JSONMember(
          "policies",
          .array(
            (policies ?? []).map { policy in
              .object([
                JSONMember("name", .string(policy.name)),
                JSONMember("meaning", .string(policy.meaning)),
              ])
            })),
      ]))
  }
}

extension SavedInterval {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("mean", .real(mean)), JSONMember("half_width", .real(halfWidth)),
      JSONMember("seeds", .integer(seeds)), JSONMember("level", .real(level)),
    ])
  }
}

extension SavedScenario {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("scenario", .string(scenario)),
      JSONMember("summary", .string(summary)),
      JSONMember("outcome", .string(outcome.rawValue)),
      JSONMember("choice", .array(choice.map(JSONValue.string))),
      JSONMember("candidates", .array(candidates.map(JSONValue.string))),
      JSONMember("objective", .string(objective)),
      JSONMember("unit", .string(unit)),
      JSONMember("zone", .string(zone)),
      JSONMember("seeds", .integer(seeds)),
      JSONMember("runner_up", .optional(runnerUp)),
      JSONMember("lead", lead?.json ?? .null),
      JSONMember("sentence", .string(sentence)),
      JSONMember("reason", .optional(reason)),
      JSONMember("standings", .array(standings.map(\.json))),
      JSONMember("alternatives", .array(alternatives.map(\.json))),
      JSONMember("effects", .array(effects.map(\.json))),
      JSONMember("faults", .array(faults.map(\.json))),
      JSONMember("duration", .integer(duration)),
      JSONMember("warm_up", .integer(warmUp)),
      JSONMember("verdict_command", .string(verdictCommand)),
      JSONMember("rows_command", .string(rowsCommand)),
    ])
  }
}

extension SavedStanding {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("policy", .string(policy)), JSONMember("fate", .string(fate.rawValue)),
      JSONMember("objective", objective?.json ?? .null),
      JSONMember("behind", behind?.json ?? .null), JSONMember("reference", .optional(reference)),
    ])
  }
}

extension SavedAlternative {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("label", .string(label)), JSONMember("answer", .string(answer.rawValue)),
      JSONMember("verdict", .string(verdict)),
    ])
  }
}

extension SavedEffect {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("change", .string(change)), JSONMember("difference", difference?.json ?? .null),
    ])
  }
}

extension SavedFault {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("kind", .string(kind)), JSONMember("client", .optional(client)),
      JSONMember("begin", .integer(begin)), JSONMember("end", .integer(end)),
    ])
  }
}

extension SavedTarget {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("scenario", .string(scenario)), JSONMember("policy", .string(policy)),
      JSONMember("name", .string(name)), JSONMember("limit", .string(limit)),
      JSONMember("measured", .string(measured)), JSONMember("outcome", .string(outcome.rawValue)),
      JSONMember("reason", .optional(reason)),
    ])
  }
}
