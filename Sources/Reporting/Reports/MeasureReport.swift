package import Analysis
package import ResultModel

/// What `measure` prints: everything that was measured in real time.
package enum MeasureReport {
  /// - Parameters:
  ///   - rows: What was measured.
  ///   - judgements: Targets that were judged, if any.
  ///   - style: How it is painted.
  /// - Returns: The tables, one below the other.
  package static func text(
    _ rows: [ResultRow], judgements: [TargetJudgement] = [], style: TextStyle
  ) -> String {
    let stages = StageTable.classes(of: rows).map { name in
      ("from the device to the screen, \(name)", StageTable.table(of: name, rows: rows))
    }
    let predictions = rows.filter(PredictionTable.shows)
    let predicted =
      predictions.isEmpty
      ? [] : [("memory, predicted and counted", PredictionTable.table(predictions))]
    let curves = rows.filter(ScaleTable.shows)
    let scale =
      curves.isEmpty ? [] : [("cost as the cache grows", ScaleTable.table(curves))]
    let rest = rows.filter {
      !StageTable.shows($0) && !PredictionTable.shows($0) && !ScaleTable.shows($0)
    }
    let others = [
      ("latency on this machine", rest.latencies),
      ("memory and throughput on this machine", rest.measuredFigures),
    ]
    .filter { !$0.1.isEmpty }
    .map { ($0, DistributionTable.table($1)) }
    let targets =
      judgements.isEmpty ? [] : [("targets", TargetTable.table(judgements, rows: rows))]
    return (stages + scale + others + predicted + targets)
      .map { title, table in
        style.paint(title, .strong) + "\n" + table.terminal(style: style, indent: 2)
      }
      .joined(separator: "\n")
  }
}

extension [ResultRow] {
  /// The rows of times on the wall clock.
  var latencies: [ResultRow] { measured { $0.unit == .nanoseconds } }

  /// The rows of everything else that was measured: memory, throughput, shares.
  var measuredFigures: [ResultRow] { measured { $0.unit != .nanoseconds } }

  private func measured(where fits: (Metric) -> Bool) -> [ResultRow] {
    filter { $0.metric.noiseClass != .exact && fits($0.metric) }
  }
}
