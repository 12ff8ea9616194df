import ResultModel

/// The charts of real-time measurements, on one machine.
struct MeasuredPictures: Sendable {
  let latency: [ResultRow]
  let looks: PolicyLooks
  /// The command that measures the scenario again.
  let command: String

  /// The scenario whose policies were measured on the real cache.
  var scenario: String? {
    latency.first { $0.metric == .updateToNotify && $0.scenario != StageTable.scenario }?.scenario
  }

  /// The scenario measured without timed events.
  var scenarioWithoutEvents: String? {
    scenario.flatMap { name in
      latency.contains {
        $0.scenario == name && $0.metric == .updateToNotify && ($0.sampleCount ?? 0) > 0
      } ? nil : name
    }
  }

  var all: [Picture] {
    [
      policies(.updateToNotify, "From receiving an event to notifying its observer"),
      policies(.eventCost, "The cache's own share of an event"),
      policies(.serverToUI, "From the server to the screen"),
    ]
  }

  /// The charts of Tidemark's own cache, whatever the scenario.
  var ofProduct: [Picture] { [paces, stages, alternatives] }

  // MARK: Percentiles

  /// The minimum number of samples beyond a percentile for it to be drawn.
  private static let fewestBeyond = 10.0

  /// Returns a distribution by its percentiles, as far as its samples allow.
  private static func points(_ rows: [ResultRow]) -> [CurveChart.Point] {
    rows.compactMap { row -> CurveChart.Point? in
      guard let share = row.statistic.tenThousandths, share < 10_000,
        let value = row.value?.asDouble, value > 0
      else { return nil }
      let odds = 10_000 / Double(10_000 - share)
      if let count = row.sampleCount, Double(count) / odds < fewestBeyond { return nil }
      return CurveChart.Point(x: odds, y: value)
    }.sorted { $0.x < $1.x }
  }

  private struct Distribution {
    var name: String
    var look: PolicyLooks.Look
    var rows: [ResultRow]
    var isControl = false
  }

  private func percentiles(
    _ title: String, _ distributions: [Distribution], rows: String, command: String,
    how: String
  ) -> Picture {
    let curves = distributions.map {
      CurveChart.Curve(name: $0.name, look: $0.look, points: Self.points($0.rows))
    }.filter { !$0.points.isEmpty }
    let values = curves.flatMap(\.points).map(\.y)
    // A control alone has nothing to be compared with.
    let own = distributions.filter { !$0.isControl }
    guard own.contains(where: { !Self.points($0.rows).isEmpty }) else {
      let count = own.flatMap(\.rows).compactMap(\.sampleCount).max()
      return .missing(title, count.map { "too few events: \($0)" } ?? command)
    }
    guard let low = values.min(), let high = values.max() else {
      return .missing(title, command)
    }
    let most = curves.flatMap(\.points).map(\.x).reduce(100, max)
    let counts = distributions.flatMap(\.rows).compactMap(\.sampleCount)
    let (fewest, largest) = (counts.min() ?? 0, counts.max() ?? 0)
    func whole(_ count: Int) -> String { HumanNumber.count(Double(count)) }
    let text: @Sendable (Double) -> String = { HumanNumber.duration(nanoseconds: $0) }
    let chart = CurveChart(
      x: CurveChart.Axis(
        title: "percentile, the rarer the further right", kind: .logarithmic, range: 2...most,
        ticks: [2, 10, 100, 1_000].filter { $0 <= most },
        text: { $0 == 2 ? "p50" : $0 == 10 ? "p90" : $0 == 100 ? "p99" : "p99.9" }),
      y: CurveChart.Axis(
        title: "time, log scale", kind: .logarithmic,
        range: (low * 0.8)...max(high * 1.25, low * 2),
        text: text),
      curves: curves,
      description: curves.map { curve in
        "\(curve.name): " + curve.points.map { text($0.y) }.joined(separator: ", ")
      }.joined(separator: "; "))
    return Picture(
      title: title, drawing: chart.drawing, howToRead: how,
      source: Picture.Source(
        sample: fewest == largest
          ? "n = \(whole(fewest)) events" : "n = \(whole(fewest)) to \(whole(largest)) events",
        noiseClass: "sampled", rows: rows, command: .text(command)))
  }

  private func policies(_ metric: Metric, _ title: String) -> Picture {
    guard let scenario else { return .missing(title, command) }
    let own = latency.filter { $0.scenario == scenario && $0.class == "single" }
    var distributions = own.filter { $0.metric == metric && !$0.policy.isEmpty }.distinct(\.policy)
      .map { policy in
        Distribution(
          name: policy, look: looks[policy],
          rows: own.filter { $0.metric == metric && $0.policy == policy })
      }
    if let control = metric.noiseControl {
      distributions.append(
        Distribution(
          name: "control, no cache", look: .bound,
          rows: latency.filter {
            $0.scenario == scenario && $0.metric == control && $0.policy.isEmpty
              && ($0.class == "single" || $0.class == .total)
          }, isControl: true))
    }
    return percentiles(
      title, distributions,
      rows: "latency.csv: scenario = \(scenario), class = single, metric = \(metric.name)",
      command: command,
      how:
        "Lower is better. The control takes the same path without a cache: its time is the machine's "
        + "share. A curve ends where fewer than ten events are slower."
        + (metric == .serverToUI
          ? " A change also waits for the next frame of a 60 Hz clock, 8.3 ms on average; the control does not."
          : ""))
  }

  private var paces: Picture {
    let title = "An event on 10,000 entities, ten observers"
    let own = latency.filter { $0.scenario == "event-cost" }
    let names = PolicyLooks(["open loop", "back to back"])
    let paces: [(String, ResultClass)] = [
      ("open loop", "single"), ("back to back", "single/hot"),
    ]
    let distributions = paces.flatMap { name, place in
      [
        Distribution(
          name: name, look: names[name],
          rows: own.filter { $0.metric == .eventCost && $0.class == place }),
        Distribution(
          name: "its control", look: .bound,
          rows: own.filter { $0.metric == .controlEventCost && $0.class == place },
          isControl: true),
      ]
    }
    return percentiles(
      title, distributions,
      rows: "latency.csv: scenario = event-cost, metric = event_cost",
      command: "tidemark bench --product",
      how:
        "Lower is better. Open loop: events come when they come, as in an app. Back to back: the "
        + "next as soon as one is done.")
  }

  // MARK: Stages

  private static let stageMetrics: [(metric: Metric, name: String)] = [
    (.generatorLateness, "sent late"), (.uplink, "to the server"), (.downlink, "to the client"),
    (.inboxWait, "waits its turn"), (.decode, "decode"), (.apply, "apply"), (.notify, "notify"),
    (.frameWait, "waits for a frame"), (.draw, "draw"),
  ]

  private var stages: Picture {
    let title = "Where the time goes, from a device to the screen"
    let command = "tidemark measure latency --transport unix"
    let rows = latency.filter { $0.scenario == StageTable.scenario && $0.statistic == .mean }
    let bars = rows.filter { $0.metric == .frameWait }.distinct(\.class).compactMap {
      name -> BarChart.Bar? in
      let own = rows.filter { $0.class == name }
      let values = Self.stageMetrics.map { stage in
        own.first { $0.metric == stage.metric }?.value?.asDouble
      }
      guard values.contains(where: { $0 != nil }) else { return nil }
      let known = values.map { $0 ?? 0 }
      return BarChart.Bar(
        name: "\(name)", ink: "k", values: known,
        text: HumanNumber.duration(nanoseconds: known.reduce(0, +)))
    }
    guard !bars.isEmpty else { return .missing(title, command) }
    let longest = bars.map { $0.values.reduce(0, +) }.reduce(0, max)
    let chart = BarChart(
      parts: Self.stageMetrics.enumerated().map { BarChart.Part(name: $1.name, color: $0) },
      bars: bars, axis: "mean time of a change",
      highest: max(longest, 20e6), tickText: { HumanNumber.duration(nanoseconds: $0) },
      limit: (value: 20e6, name: "target, for p99: 20 ms"),
      description: bars.map { "\($0.name): \($0.text)" }.joined(separator: "; "))
    let samples = rows.compactMap(\.sampleCount).max() ?? 0
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "Means add up, percentiles do not. Half a frame, 8.3 ms, is waited for the screen on "
        + "average, whatever the cache does.",
      source: Picture.Source(
        sample: "n = \(HumanNumber.count(Double(samples))) changes", noiseClass: "sampled",
        rows: "latency.csv: scenario = \(StageTable.scenario), statistic = mean",
        command: .text(command)))
  }

  // MARK: Others

  private var alternatives: Picture {
    let title = "Compared with alternatives"
    let rows = latency.filter { $0.scenario == AlternativeTable.scenario }
    let name = rows.first { $0.metric == .eventCost }?.class
    let own = rows.filter { $0.class == name }
    let alternatives = own.filter { $0.metric == .eventCost }.distinct(\.policy)
    let names = PolicyLooks(alternatives)
    return percentiles(
      title,
      alternatives.map { alternative in
        Distribution(
          name: alternative, look: names[alternative],
          rows: own.filter { $0.metric == .eventCost && $0.policy == alternative })
      } + [
        Distribution(
          name: "control, no cache", look: .bound,
          rows: own.filter { $0.metric == .controlEventCost }, isControl: true)
      ],
      rows:
        "latency.csv: scenario = \(AlternativeTable.scenario), class = \(name.map { "\($0)" } ?? "single"), "
        + "metric = event_cost",
      command: "tidemark measure alternatives",
      how:
        "Lower is better: the same events, from decoding to the notified observer. They do not do the same "
        + "work: a dictionary keeps no lists.")
  }
}
