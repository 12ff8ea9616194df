import ResultModel
import Text

/// All targets, missed ones first.
extension ReportPage {
  var targets: Node {
    let all = results.verdicts?.targets ?? []
    let order: [SavedTarget.Outcome] = [.missed, .inconclusive, .missing, .met]
    let lines = order.flatMap { outcome in
      Self.lines(ownFirst(all.filter { $0.outcome == outcome }))
    }
    var parts: [Node] = [.tag("h2", [], "Targets")]
    if lines.isEmpty {
      parts.append(
        .tag("p", [.class("none")], "No target was judged in this run."))
    } else {
      parts.append(
        .tag(
          "p", [.class("soft")],
          "Measured: the worst value of the policies in the seeds that gate judges. Targets of scenarios come "
            + "first, then Tidemark's own. Inconclusive: the machine's own noise takes more than half of the "
            + "limit."))
      let open = lines.filter { !$0.isMet }
      if !open.isEmpty { parts.append(Self.table(open)) }
      let met = lines.filter(\.isMet)
      if !met.isEmpty {
        parts.append(
          .tag(
            "details", [],
            [
              .tag(
                "summary", [],
                "Met, by target and policy: \(all.count { $0.outcome == .met })"), Self.table(met),
            ]))
      }
    }
    return .tag("section", [.id(Anchor("targets"))], parts)
  }

  /// Returns the targets of the reader's scenarios, then Tidemark's own.
  func ownFirst(_ targets: [SavedTarget]) -> [SavedTarget] {
    let own = results.scenarios
    return targets.filter { own.contains($0.scenario) }
      + targets.filter { !own.contains($0.scenario) }
  }

  private struct Line {
    var target: SavedTarget
    var policies: [String]
    var isMet: Bool { target.outcome == .met }
  }

  /// Returns the lines, one for several policies with the same result.
  private static func lines(_ targets: [SavedTarget]) -> [Line] {
    struct Kind: Hashable {
      var scenario: String
      var name: String
      var limit: String
      var reason: String?
      /// The policies that missed it, each with its value.
      var measured: String?
    }
    func kind(_ target: SavedTarget) -> Kind {
      Kind(
        scenario: target.scenario, name: target.name, limit: target.limit, reason: target.reason,
        measured: target.outcome == .missed ? target.measured : nil)
    }
    return targets.distinct(kind).compactMap { wanted in
      let own = targets.filter { kind($0) == wanted }
      return own.first.map { Line(target: $0, policies: own.map(\.policy).filter { !$0.isEmpty }) }
    }
  }

  private static func table(_ lines: [Line]) -> Node {
    .wideTable(
      head: Node.heads(["target", "scenario", "policies", "limit", "measured", "verdict"]),
      rows: lines.map(row))
  }

  private static func row(_ line: Line) -> Node {
    let target = line.target
    let (word, tone) =
      switch target.outcome {
      case .met: ("met", "good")
      case .missed: ("missed", "bad")
      case .inconclusive: ("inconclusive", "doubt")
      case .missing: ("no data", "doubt")
      }
    let named = line.policies.prefix(3).joined(separator: ", ")
    let more = line.policies.count - 3
    return .tag(
      "tr", [],
      [
        .tag("td", [], target.name), .tag("td", [], target.scenario),
        .tag("td", [], more > 0 ? "\(named), \(more) more" : named),
        .tag("td", [], target.limit), .tag("td", [], target.measured),
        .tag(
          "td", [],
          [
            .tag("b", [.class(tone)], word),
            .text(target.reason.map { ": \($0)" } ?? ""),
          ]),
      ])
  }
}

/// The real-time measurements, on the machine of the run.
extension ReportPage {
  var measured: Node {
    var parts: [Node] = [.tag("h2", [], "In real time, on this machine")]
    guard let latency = results.latency else {
      parts.append(
        .tag(
          "p", [.class("none")],
          "Not measured in this run: no latency.csv is in the folder.\(without(["--exact-only"]))"))
      return .tag("section", [.id(Anchor("measured"))], parts)
    }
    let timed = scenarios.first { scenario in
      latency.contains { $0.scenario == scenario.scenario && $0.metric == .updateToNotify }
    }
    let pictures = MeasuredPictures(
      latency: latency, looks: looks, command: timed?.benchCommand ?? "tidemark measure latency")
    let own = pictures.ofProduct.filter { $0.drawing != nil }
    let all = pictures.all + own
    parts.append(
      .tag(
        "p", [],
        [
          .text(
            "Times of the real cache"
              + (pictures.scenario.map { ", the policies on the workload of \($0)" } ?? "")
              + ". They move with the machine and its load: compare within one picture only. "),
          Self.link("latency.csv"), .text(", "), Self.link("memory.csv"),
        ]))
    parts.append(.tag("div", [.class("pics")], all.filter { $0.drawing != nil }.map(\.node)))
    let missing = all.filter { $0.drawing == nil }
    if let scenario = pictures.scenarioWithoutEvents {
      parts.append(
        .tag(
          "p", [.class("none")],
          "The first client of \(scenario) receives no event about a single entity, so none is timed."
        ))
    } else if !missing.isEmpty {
      parts.append(Self.missing(missing))
    }
    if own.isEmpty {
      parts.append(
        .tag(
          "p", [.class("none")],
          [
            .text("Tidemark's own cache, whatever the scenario: "),
            .tag("code", [], "tidemark bench --product"), .text("."),
          ]))
    }
    return .tag("section", [.id(Anchor("measured"))], parts)
  }
}

/// Experiments in addition to the run: varied fields of the workload, and another build.
extension ReportPage {
  var experiments: Node {
    let pictures = sensitivityPictures + [comparisonOfBuilds].compactMap(\.self)
    var parts: [Node] = [.tag("h2", [], "What if")]
    if !pictures.isEmpty { parts.append(.tag("div", [.class("pics")], pictures.map(\.node))) }
    if results.experiments.sensitivity.isEmpty {
      parts.append(
        .tag(
          "p", [.class("none")],
          [
            .text(
              "The effect of a workload field on the ranking is not in this folder. Add it with "),
            .tag(
              "code", [],
              "tidemark sensitivity SCENARIO --vary FIELD=a..b --format csv --output "
                + "\(results.folder)/sensitivity.csv"),
            .text(", with a field such as network.loss=0%..40%."),
          ]))
    }
    if results.experiments.measurements.isEmpty {
      parts.append(
        .tag(
          "p", [.class("none")],
          "A comparison with an earlier build is not in this folder. Add it with "
            + ShellWord.line([
              "tidemark", "gate", "--against", "REF", "--verdict", "\(results.folder)/verdict.json",
            ]) + "."))
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
    // The rows contain many figures; one is drawn.
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
        "Where lines cross, another policy is best. Marks are at equal steps, whatever the values.",
      source: Picture.Source(
        sample: "n = \(row.sampleCount ?? 1) seeds; 95 % intervals", noiseClass: "exact",
        rows: "sensitivity.csv: \(row.metric.name)",
        command: .text(
          "\(ShellWord.line(["tidemark", "sensitivity", scenario, "--vary"])) \(field)=…")))
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
      title: "This build compared with another", drawing: chart.drawing,
      howToRead:
        "Less is better. A count has no interval; a time that crosses zero is not significant.",
      source: Picture.Source(
        sample: "n = \(rounds) processes of each build, in turn", noiseClass: "sampled, counted",
        rows: "verdict.json: measured", command: .text("tidemark gate --against REF")))
  }

  private static func short(_ metric: String) -> String {
    metric.replacing("operation_time", with: "time").replacing("_per_event", with: "")
      .replacing("_per_read", with: "").replacing("_per_write", with: "")
  }
}
