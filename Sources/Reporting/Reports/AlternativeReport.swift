package import Analysis
package import ResultModel

/// What `alternatives` prints: a table for each workload, and what the targets came to.
package enum AlternativeReport {
  /// - Parameters:
  ///   - rows: The rows of a comparison.
  ///   - judgements: Of its targets.
  ///   - style: How it is painted.
  /// - Returns: The tables, one below the other.
  package static func text(
    _ rows: [ResultRow], judgements: [TargetJudgement], style: TextStyle
  ) -> String {
    let workloads = AlternativeTable.classes(of: rows).map { name in
      (title(of: name), AlternativeTable.table(of: name, rows: rows))
    }
    let targets = judgements.isEmpty ? [] : [("targets", TargetTable.table(judgements))]
    return (workloads + targets)
      .map { title, table in
        style.paint(title, .strong) + "\n" + table.terminal(style: style, indent: 2)
      }
      .joined(separator: "\n")
  }

  static func title(of name: ResultClass) -> String {
    switch name.pace {
    case .backToBack: "\(name.subject), back to back (medians)"
    case .openLoop: "\(name.subject), open loop (medians)"
    }
  }
}
