package import Analysis

/// Every target with its limit, what was measured, and what that means.
package enum TargetTable {
  package static func table(_ judgements: [TargetJudgement]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("target"), TextTable.Column("scenario"), TextTable.Column("policy"),
      TextTable.Column("limit", .right), TextTable.Column("measured", .right),
      TextTable.Column("verdict"),
    ])
    for judgement in judgements {
      let target = judgement.target
      table.append([
        TextTable.Cell(target.name), TextTable.Cell(target.scenario),
        TextTable.Cell(judgement.policy), TextTable.Cell(target.limitText),
        TextTable.Cell(target.measuredText(judgement.measured)),
        TextTable.Cell(judgement.outcome.phrase, tone: judgement.outcome.tone),
      ])
    }
    return table
  }
}
