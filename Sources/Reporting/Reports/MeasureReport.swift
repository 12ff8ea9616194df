package import Analysis
package import ResultModel

/// The output of `measure`: all real-time measurements.
package enum MeasureReport {
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
  /// The rows of wall-clock times.
  var latencies: [ResultRow] { measured { $0.unit == .nanoseconds } }

  /// The rows of all other measurements: memory, throughput, shares.
  var measuredFigures: [ResultRow] { measured { $0.unit != .nanoseconds } }

  private func measured(where fits: (Metric) -> Bool) -> [ResultRow] {
    filter { $0.metric.noiseClass != .exact && fits($0.metric) }
  }
}

/// The stages of a change on its path from a device to the screen: one line for each stage, in order, and
/// their total.
///
/// Means add up; quantiles do not, since the slowest in one stage is rarely the slowest in another. Below the
/// total are the parts with a target, and their controls, with the share of samples that met it.
package enum StageTable {
  private static let stages: [Metric] = [
    .generatorLateness, .uplink, .downlink, .inboxWait, .decode, .apply, .notify,
    .frameWait, .draw,
  ]
  private static let total = Metric.serverToUI
  /// The metrics with a target, or controls of one, with the metric of the share that met it.
  private static let judged: [(metric: Metric, share: Metric, isControl: Bool)] = [
    (.serverToUI, .serverToUIWithinTarget, false),
    (.updateToNotify, .updateToNotifyWithinTarget, false),
    (.controlNotify, .updateToNotifyWithinTarget, true),
    (.controlToUI, .serverToUIWithinTarget, true),
  ]
  private static let statistics: [Statistic] = [.p50, .p99, .p999, .max, .mean]
  /// The scenario of the tables' rows.
  static let scenario = "pipeline"

  /// Returns the classes with stages, in the order of the rows.
  static func classes(of rows: [ResultRow]) -> [ResultClass] {
    rows.filter { $0.scenario == scenario && $0.metric == stages.first }.distinct(\.class)
  }

  /// Returns whether a row is in one of these tables.
  static func shows(_ row: ResultRow) -> Bool {
    guard row.scenario == scenario else { return false }
    if judged.contains(where: { $0.share == row.metric }) { return true }
    return stages.contains(row.metric)
      || judged.contains { $0.metric == row.metric } && row.class.lane != .frameBoundary
  }

  package static func table(of name: ResultClass, rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("stage"), TextTable.Column("n", .right)]
        + statistics.map { TextTable.Column($0.rawValue, .right) }
        + [TextTable.Column("share", .right), TextTable.Column("within target", .right)])
    let shares = SharesWithinTarget(rows: rows)
    let own = rows.filter { $0.scenario == scenario && $0.class == name }
    func value(_ metric: Metric, _ statistic: Statistic) -> MetricValue? {
      own.first { $0.metric == metric && $0.statistic == statistic }?.value
    }
    let whole = value(total, .mean)?.asDouble
    let others = judged.map(\.metric).filter { metric in
      metric != total && own.contains { $0.metric == metric }
    }
    for metric in stages + [total] + others {
      let count = own.first { $0.metric == metric }?.sampleCount
      let mean = value(metric, .mean)?.asDouble
      var share: String?
      if let mean, let whole, whole > 0, !others.contains(metric) {
        share = HumanNumber.percent(mean / whole)
      }
      let within = judged.first { $0.metric == metric }.flatMap {
        shares.text($0.share, of: name, isControl: $0.isControl)
      }
      table.append(
        [metric.name, count.map { HumanNumber.count(Double($0)) } ?? ""]
          + statistics.map { HumanNumber.text(value(metric, $0), unit: .nanoseconds) }
          + [share ?? "", within ?? ""])
    }
    return table.withoutEmptyColumns()
  }
}

/// Sampled and counted metrics, one line per metric and class, one column per statistic.
package enum DistributionTable {
  private struct Line: Hashable {
    let scenario: String
    let policy: String
    let `class`: ResultClass
    let metric: Metric
  }

  /// Returns the table of the rows; an en dash is a value that could not be measured.
  ///
  /// Empty columns are omitted, and so is the scenario if the metric implies it.
  package static func table(_ rows: [ResultRow], showsScenario: Bool = true) -> TextTable {
    let statistics = Statistic.allCases.filter { statistic in
      rows.contains { $0.statistic == statistic }
    }
    var table = TextTable(
      columns: [
        TextTable.Column("metric"), TextTable.Column("class"), TextTable.Column("scenario"),
        TextTable.Column("policy"), TextTable.Column("n", .right),
      ] + statistics.map { TextTable.Column($0.rawValue, .right) })
    let lines = rows.distinct {
      Line(scenario: $0.scenario, policy: $0.policy, class: $0.class, metric: $0.metric)
    }
    for line in lines {
      let own = rows.filter {
        $0.scenario == line.scenario && $0.policy == line.policy && $0.class == line.class
          && $0.metric == line.metric
      }
      let count = own.compactMap(\.sampleCount).max()
      let cells = statistics.map { statistic in
        own.first { $0.statistic == statistic }
          .map { HumanNumber.text($0.value, unit: line.metric.unit) } ?? ""
      }
      table.append(
        [
          line.metric.name, "\(line.class)", showsScenario ? line.scenario : "", line.policy,
          count.map { HumanNumber.count(Double($0)) } ?? "",
        ] + cells)
    }
    return table.withoutEmptyColumns()
  }
}

/// Predicted memory of caches compared with the allocator's count.
package enum PredictionTable {
  private static let error = Metric.predictionErrorShare
  private static let metrics: Set<Metric> = [.predictedBytes, .cacheTotalBytes, error]
  /// The scenario of the measurement itself, which is reported elsewhere.
  private static let measurement = "memory"

  /// Returns whether a row of a scenario's cache is shown here.
  package static func shows(_ row: ResultRow) -> Bool {
    metrics.contains(row.metric) && row.scenario != measurement
  }

  package static func table(_ rows: [ResultRow]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("scenario"), TextTable.Column("policy"),
      TextTable.Column("entities", .right),
      TextTable.Column("predicted", .right), TextTable.Column("counted", .right),
      TextTable.Column("error", .right),
    ])
    for row in rows where row.metric == error {
      func text(_ metric: Metric) -> String {
        let found = rows.first {
          $0.scenario == row.scenario && $0.policy == row.policy && $0.class == row.class
            && $0.metric == metric
        }
        return HumanNumber.text(
          found?.value, unit: metric.unit)
      }
      table.append([
        row.scenario, row.policy + (row.class == .total ? "" : ": \(row.class)"),
        HumanNumber.count(Double(row.sampleCount ?? 0)),
        text(.predictedBytes), text(.cacheTotalBytes), text(error),
      ])
    }
    return table
  }
}

/// The cost of an operation in a small and in a large cache, one line for each curve.
package enum ScaleTable {
  private static let scenario = "scale"

  /// Returns whether a row is of a curve.
  package static func shows(_ row: ResultRow) -> Bool { row.scenario == scenario }

  package static func table(_ rows: [ResultRow]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("axis"), TextTable.Column("operation"), TextTable.Column("sizes", .right),
      TextTable.Column("cost", .right), TextTable.Column("per s, largest", .right),
      TextTable.Column("exponent", .right), TextTable.Column("flat"),
    ])
    for curve in rows where curve.metric == .costExponent {
      let costs = points(.operationCost, of: curve.class, in: rows)
      let rates = points(.cacheOperationsPerSecond, of: curve.class, in: rows)
      let flat = rows.first { $0.metric == .isCostFlat && $0.class == curve.class }?.value
      table.append([
        curve.class.subject, curve.class.lane?.rawValue ?? "",
        ends(costs) { HumanNumber.count(Double($0.size)) },
        ends(costs) { HumanNumber.text($0.value, unit: .nanoseconds) },
        HumanNumber.text(rates.last?.value, unit: .perSecond),
        exponent(curve), flat.map { $0.asDouble > 0 ? "yes" : "no" } ?? "–",
      ])
    }
    return table
  }

  private typealias Point = (size: Int, value: MetricValue?)

  /// Returns the sizes of a curve with their values, in the order of the rows.
  private static func points(
    _ metric: Metric, of curve: ResultClass, in rows: [ResultRow]
  ) -> [Point] {
    rows.compactMap { row in
      guard row.metric == metric, row.class.subject == curve.subject,
        row.class.lane == curve.lane, let size = row.class.size
      else { return nil }
      return (size, row.value)
    }
  }

  private static func ends(_ points: [Point], _ text: (Point) -> String) -> String {
    guard let first = points.first, let last = points.last else { return "–" }
    return "\(text(first)) … \(text(last))"
  }

  private static func exponent(_ row: ResultRow) -> String {
    guard let value = row.value?.asDouble else { return "–" }
    let text = HumanNumber.fixed(value, decimals: 2)
    guard let interval = row.confidenceInterval else { return text }
    let (low, high) = (interval.lowerBound, interval.upperBound)
    return
      "\(text) (\(HumanNumber.fixed(low, decimals: 2)) to \(HumanNumber.fixed(high, decimals: 2)))"
  }
}
