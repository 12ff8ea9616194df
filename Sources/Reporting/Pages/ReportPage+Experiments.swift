import ResultModel

/// What was tried beside the run: fields of the workload, and another build.
extension ReportPage {
  var experiments: Node {
    let pictures = sensitivityPictures + [comparisonOfBuilds].compactMap(\.self)
    var parts: [Node] = [.tag("h2", [], "What if")]
    if !pictures.isEmpty { parts.append(.tag("div", [.class("pics")], pictures.map(\.node))) }
    if results.experiments.sensitivity.isEmpty {
      parts.append(
        .tag(
          "p", [.class("none")],
          "Not in this folder: what a field of the workload does to the ranking. Make it with "
            + "tidemark sensitivity SCENARIO --vary FIELD=a..b --format csv --output "
            + "\(results.folder)/sensitivity.csv."))
    }
    if results.experiments.measurements.isEmpty {
      parts.append(
        .tag(
          "p", [.class("none")],
          "Not in this folder: whether a change of the cache made it slower. Make it with "
            + "tidemark gate --against REF --verdict \(results.folder)/verdict.json."))
    }
    return .tag("section", [.id(Anchor("experiments"))], parts)
  }

  // MARK: Fields of the workload

  private var sensitivityPictures: [Picture] {
    struct Subject: Hashable {
      var field: String
      var scenario: String
    }
    let all = results.experiments.sensitivity
    let isFresh = { (row: ResultRow) in
      row.metric == .freshHitRatio && row.statistic == .value && row.class == .all
    }
    // Runs tell many figures; one decides.
    let points =
      all.contains { isFresh($0.row) }
      ? all.filter { isFresh($0.row) } : all.filter { $0.row.metric == all[0].row.metric }
    return points.distinct { Subject(field: $0.field, scenario: $0.row.scenario) }.map { subject in
      picture(
        of: points.filter { $0.field == subject.field && $0.row.scenario == subject.scenario },
        subject.field, subject.scenario)
    }
  }

  private func picture(
    of points: [SensitivityPoint], _ field: String, _ scenario: String
  ) -> Picture {
    let title = "\(scenario): \(field)"
    let values = points.distinct(\.value)
    let curves = points.distinct(\.row.policy).map { policy in
      CurveChart.Curve(
        name: policy, look: looks[policy],
        points: values.enumerated().compactMap { index, value in
          let row = points.first { $0.value == value && $0.row.policy == policy }?.row
          return row?.value.map {
            CurveChart.Point(x: Double(index), y: $0.asDouble, interval: row?.confidenceInterval)
          }
        })
    }.filter { !$0.points.isEmpty }
    guard let row = points.first?.row, !curves.isEmpty else {
      return .missing(title, "no run of it has a value")
    }
    let largest = curves.flatMap(\.points).map { $0.interval?.upperBound ?? $0.y }.reduce(0, max)
    let unit = row.metric.unit
    let text = { @Sendable (value: Double) in HumanNumber.text(.real(value), unit: unit) }
    let chart = CurveChart(
      x: CurveChart.Axis(
        title: field, range: -0.5...Double(values.count) - 0.5,
        ticks: values.indices.map(Double.init),
        text: { values.indices.contains(Int($0)) ? values[Int($0)] : "" }),
      y: CurveChart.Axis(
        title: "\(row.metric.name) \(row.class)", range: Scale.fromZero(to: largest), text: text),
      curves: curves,
      description: curves.map { curve in
        "\(curve.name) \(curve.points.map { text($0.y) }.joined(separator: ", "))"
      }.joined(separator: "; "))
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "Where lines cross, another policy is best. The marks stand at equal steps, whatever the values.",
      source: Picture.Source(
        sample: "n = \(row.sampleCount ?? 1) seeds; 95 % intervals", noiseClass: "exact",
        rows: "sensitivity.csv: \(row.metric.name)",
        command: .text("tidemark sensitivity \(scenario) --vary \(field)=…")))
  }

  // MARK: Another build

  private var comparisonOfBuilds: Picture? {
    let measured = results.experiments.measurements
    let lines = measured.compactMap { measurement -> ForestChart.Line? in
      guard let change = measurement.change else { return nil }
      let half = ((measurement.changeHigh ?? change) - (measurement.changeLow ?? change)) / 2
      return ForestChart.Line(
        name: "\(measurement.class) \(Self.short(measurement.metric))",
        difference: SavedInterval(
          mean: change, halfWidth: half, seeds: measurement.rounds, level: 0.95))
    }
    guard !lines.isEmpty else { return nil }
    let largest = lines.compactMap {
      $0.difference.map { max($0.low.magnitude, $0.high.magnitude) }
    }
    .reduce(0, max)
    let chart = ForestChart(
      lines: lines, reach: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].first { $0 >= largest } ?? 1,
      axis: "change, share of the other build's", sides: ("← less", "more →"),
      text: { HumanNumber.percent($0) },
      description: lines.map { line in
        "\(line.name): \(line.difference.map { HumanNumber.percent($0.mean) } ?? "–")"
      }.joined(separator: "; "))
    let rounds = measured.map(\.rounds).max() ?? 1
    return Picture(
      title: "This build beside another", drawing: chart.drawing,
      howToRead:
        "Less is better. A count has no interval; a time that crosses zero is not told apart.",
      source: Picture.Source(
        sample: "n = \(rounds) processes of each build, in turn", noiseClass: "sampled, counted",
        rows: "verdict.json: measured", command: .text("tidemark gate --against REF")))
  }

  private static func short(_ metric: String) -> String {
    metric.replacing("operation_time", with: "time").replacing("_per_event", with: "")
      .replacing("_per_read", with: "").replacing("_per_write", with: "")
  }
}
