import Analysis
import ResultModel

struct ScenarioPictures: Sendable {
  let scenario: SavedScenario
  let figures: SavedFigures
  let levels: [MemoryLevel]
  let memory: [ResultRow]
  let timeline: [TimelineLine]
  let looks: PolicyLooks
  /// The range of the axis of differences, the same in all scenarios.
  let reach: Double
  /// The anchor of the scenario's commands.
  let commands: Anchor

  var name: String { scenario.scenario }

  /// The competing policies, the best first, then the bounds.
  var policies: [String] {
    let all = figures.policies(of: name)
    let competing = scenario.standings.map(\.policy).filter(all.contains)
    let value = { (policy: String) in
      figures.value(name, policy, .freshHitRatio) ?? figures.value(name, policy, .hitRatio)
        ?? -1
    }
    let best = competing.enumerated().sorted {
      let (first, second) = (value($0.element), value($1.element))
      return first != second ? first > second : $0.offset < $1.offset
    }.map(\.element)
    return best + all.filter { !competing.contains($0) }
  }

  /// All charts in the order shown.
  var all: [Picture] {
    // Values that a recording leaves open are open in another run of it too.
    func known(_ picture: Picture) -> [Picture] {
      scenario.recordedUsers != nil && picture.drawing == nil ? [] : [picture.main]
    }
    return [freshAgainstMemory.main, waitAgainstMemory, counted] + known(front)
      + [bytes, causes.main, course] + known(effects)
  }

  /// The minimum number of recorded users for the effect of one choice.
  static let usersOfEffects = 4

  func source(_ rows: String, sample other: String? = nil) -> Picture.Source {
    Picture.Source(
      sample: other ?? sample, noiseClass: "exact", rows: rows, command: .place(commands))
  }

  /// The seeds of the rows, which may be fewer than the verdict's.
  var sample: String {
    switch figures.seeds(of: name) {
    case .one(let seed): scenario.replicate == "user" ? "n = 1 user" : "n = 1, seed \(seed)"
    case .several(let count) where count < scenario.seeds: "n = \(count) of \(scenario.count)"
    case .several(let count): "n = \(scenario.text(of: count))"
    case nil: "no seeds"
    }
  }

  static let percentAxis: @Sendable (Double) -> String = {
    HumanNumber.fixed($0 * 100, decimals: 0) + " %"
  }

  // MARK: Against memory

  private func curves(_ metric: Metric, _ statistic: Statistic) -> [CurveChart.Curve] {
    let rows = levels.filter { $0.row.metric == metric && $0.row.statistic == statistic }
    return policies.compactMap { policy in
      let points = rows.filter { $0.row.policy == policy }.sorted { $0.limit < $1.limit }
        .compactMap { level in
          level.row.value.map {
            CurveChart.Point(
              x: Double(level.limit), y: $0.asDouble, interval: level.row.confidenceInterval)
          }
        }
      return points.isEmpty
        ? nil : CurveChart.Curve(name: policy, look: looks[policy], points: points)
    }
  }

  private func bounds(_ metric: Metric, _ statistic: Statistic) -> [CurveChart.Level] {
    figures.policies(of: name).filter { looks[$0].isBound }.compactMap { policy in
      figures.value(name, policy, metric, statistic).map { CurveChart.Level(name: policy, y: $0) }
    }
  }

  private var memoryAxis: CurveChart.Axis? {
    let limits = levels.map(\.limit).distinct { $0 }.sorted()
    guard let low = limits.first, let high = limits.last, low > 0 else { return nil }
    return CurveChart.Axis(
      title: "memory limit of the whole cache, log scale", kind: .logarithmic,
      // A single level is in the middle.
      range: low == high ? Double(low) * 0.7...Double(high) * 1.4 : Double(low)...Double(high),
      ticks: limits.map(Double.init),
      text: { HumanNumber.bytes($0) })
  }

  private func againstMemory(
    _ title: String, _ metric: Metric, _ statistic: Statistic, axis: String,
    highest: Double?, text: @escaping @Sendable (Double) -> String, how: String
  ) -> Picture {
    let curves = curves(metric, statistic)
    guard let memoryAxis, !curves.isEmpty else {
      return .missing(title, scenario.benchCommand)
    }
    let levels = bounds(metric, statistic)
    let largest = curves.flatMap(\.points).map(\.y) + levels.map(\.y)
    let range =
      highest.map { 0...$0 } ?? Scale.fromZero(to: largest.reduce(0, max))
    let chart = CurveChart(
      x: memoryAxis,
      y: CurveChart.Axis(title: axis, range: range, text: text), curves: curves, levels: levels,
      description: curves.map { curve in
        "\(curve.name) \(curve.points.map { text($0.y) }.joined(separator: ", "))"
      }.joined(separator: "; "))
    // A policy that is far behind is not run with every seed at each limit.
    let counts = self.levels.filter { $0.row.metric == metric }.compactMap(\.row.sampleCount)
    let fewest = counts.min() ?? 0
    let source = source(
      "memory-levels.csv: \(metric.name)",
      sample: counts.max().map {
        "n = \(fewest < $0 ? "\(fewest) to " : "")\(scenario.text(of: $0))"
      })
    return Picture(title: title, drawing: chart.drawing, howToRead: how, source: source)
  }

  private var freshAgainstMemory: Picture {
    // A recording may leave open which hits were fresh.
    let isOpen = levels.contains {
      $0.row.metric == .freshHitRatio && $0.row.statistic == .upper
    }
    let hasIntervals = levels.contains { $0.row.confidenceInterval != nil }
    return againstMemory(
      "Fresh hits against memory", .freshHitRatio, isOpen ? .upper : .value,
      axis: isOpen
        ? "hits that were or may have been fresh, share" : "fresh hits, share of reads",
      highest: 1, text: Self.percentAxis,
      how:
        "The hit ratio curve: higher is better. Each policy has the same memory limit (half of lru's memory, as "
        + "much and twice as much; lru and the best policy also less and more), so values differ from the table's, "
        + "where the scenario's limits hold. "
        + (hasIntervals ? "Bars: 95 % confidence intervals, of points over several seeds. " : "")
        + "Grey: both bounds."
    )
  }

  private var waitAgainstMemory: Picture {
    againstMemory(
      "Waiting against memory", .readWait, .mean, axis: "mean wait for a read's rows",
      highest: nil, text: { HumanNumber.duration(nanoseconds: $0) },
      how: "Lower is better. The same runs; a hit waits for nothing.")
  }

  private var counted: Picture {
    let title = "Memory, counted and predicted"
    func value(_ metric: Metric, _ statistic: Statistic, _ policy: String) -> Double? {
      memory.first {
        $0.policy == policy && $0.metric == metric && $0.statistic == statistic
          && $0.class == .total
      }?.value?.asDouble
    }
    let bars = memory.distinct(\.policy).filter { !$0.isEmpty }.flatMap {
      policy -> [BarChart.Bar] in
      guard let store = value(.storeBytes, .value, policy),
        let lists = value(.queryIndexBytes, .value, policy)
      else { return [] }
      let all = value(.cacheTotalBytes, .value, policy) ?? store + lists
      let counted = BarChart.Bar(
        name: policy, ink: looks[policy].ink, values: [store, lists, 0],
        text: HumanNumber.bytes(all))
      guard let predicted = value(.predictedBytes, .peak, policy) else { return [counted] }
      return [
        counted,
        BarChart.Bar(
          name: "predicted", ink: looks[policy].ink, values: [0, 0, predicted],
          text: HumanNumber.bytes(predicted)),
      ]
    }
    guard !bars.isEmpty else { return .missing(title, scenario.benchCommand) }
    let chart = BarChart(
      parts: [
        BarChart.Part(name: "entities", color: 0), BarChart.Part(name: "lists", color: 1),
        BarChart.Part(name: "predicted", color: 2),
      ], bars: bars, axis: "bytes, at the first client's peak",
      highest: bars.map { $0.values.reduce(0, +) }.reduce(0, max),
      tickText: { HumanNumber.bytes($0) },
      description: bars.map { "\($0.name) \($0.text)" }.joined(separator: ", "))
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "Counted: bytes that are freed when a real cache of typed values is destroyed. Predicted: the "
        + "simulation's figure for the same cache, with values as large as their JSON. Both are of one client in one run, so "
        + "less than the table's peak in any seed.",
      source: Picture.Source(
        sample: "n = 1 run", noiseClass: "counted, exact",
        rows: "memory.csv: store_bytes, query_index_bytes, cache_total_bytes, predicted_bytes",
        command: .text(scenario.benchCommand)))
  }

  // MARK: The front

  /// The policies that meet their limits and have all figures.
  private struct Priced {
    var policy: String
    var fresh: ResultRow
    var freshValue: Double
    var received: Double
    var memory: Double
  }

  private var priced: [Priced] {
    policies.filter { !looks[$0].isBound }.compactMap { policy in
      guard let fresh = figures.row(name, policy, .freshHitRatio),
        let value = fresh.value?.asDouble, let received = figures.received(name, policy),
        let memory = figures.value(name, policy, .predictedBytes, .peak)
      else { return nil }
      return Priced(
        policy: policy, fresh: fresh, freshValue: value, received: received, memory: memory)
    }
  }

  private var front: Picture {
    let title = "What fresh hits cost: the Pareto front of hits, bytes and memory"
    let all = priced
    let within = all.filter {
      (figures.value(name, $0.policy, .overLimit, .peak) ?? 0) <= Constraint.withinLimits.limit
    }
    guard !within.isEmpty else { return .missing(title, scenario.rowsCommand) }
    let best = Set(
      ParetoFront.indices(
        of: within.map { [$0.freshValue, $0.received, $0.memory] },
        objectives: [.higherIsBetter, .lowerIsBetter, .lowerIsBetter]
      ).map { within[$0].policy })
    let received = all.map(\.received)
    let fresh = all.map(\.freshValue)
    let low = max(1, received.reduce(.infinity, min))
    let step = 0.05
    let bottom = (fresh.reduce(1, min) / step).rounded(.down) * step
    let top = min(1, (fresh.reduce(0, max) / step).rounded(.up) * step)
    let chart = ScatterChart(
      x: CurveChart.Axis(
        title: "bytes fetched and pushed, log scale", kind: .logarithmic,
        range: (low * 0.9)...(max(received.reduce(0, max), low) * 1.1),
        text: { HumanNumber.bytes($0) }),
      y: CurveChart.Axis(
        title: "fresh hits, share of reads", range: bottom...max(top, bottom + step),
        text: Self.percentAxis),
      marks: all.map { point in
        ScatterChart.Mark(
          name: point.policy, look: looks[point.policy], x: point.received, y: point.freshValue,
          interval: point.fresh.confidenceInterval, isOnFront: best.contains(point.policy))
      },
      description: "on the front: "
        + all.map(\.policy).filter(best.contains).joined(separator: ", "))
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "Up and to the left is better. Ring: on the Pareto front, so no other within the limits is as good in "
        + "hits, bytes and memory, and better in one. Memory has no axis here.",
      source: source(
        "results.csv: fresh_hit_ratio, bytes_fetched, bytes_pushed, predicted_bytes"))
  }

  // MARK: The course of a run

  /// The policies drawn over time: the recommended one, the runner-up, `lru`, and the bound.
  private var followed: [String] {
    let present = timeline.distinct(\.policy)
    let wanted =
      scenario.choice.prefix(2) + [scenario.runnerUp].compactMap(\.self)
      + scenario.candidates.prefix(2) + ["lru"]
    let chosen = Array(wanted).distinct { $0 }.filter(present.contains).prefix(2)
    return chosen + ["unbounded"].filter(present.contains)
  }

  private var course: Picture {
    let title = "One run over its time"
    let followed = followed
    guard let last = timeline.map(\.end).max(), let seed = timeline.first?.seed, !followed.isEmpty
    else { return .missing(title, scenario.benchCommand) }
    let duration = Double(scenario.duration > 0 ? scenario.duration : last)
    let lines = followed.map { policy in timeline.filter { $0.policy == policy } }
    func share(_ count: (TimelineLine) -> Int) -> [[Double?]] {
      lines.map { parts in
        parts.map { $0.reads > 0 ? Double(count($0)) / Double($0.reads) : nil }
      }
    }
    let stale = share(\.staleHits)
    let entities = lines.map { $0.map(\.entities) }
    func highest(_ values: [[Double?]]) -> Double {
      values.flatMap { $0 }.compactMap(\.self).reduce(0, max)
    }
    var bands = scenario.faults.map { fault in
      TimelineChart.Band(
        name: fault.client.map { "\(fault.kind), \($0)" } ?? fault.kind,
        from: Double(fault.begin) / duration, to: Double(fault.end) / duration, isWarmUp: false)
    }
    if scenario.warmUp > 0 {
      bands.insert(
        TimelineChart.Band(
          name: "warm-up: counts nowhere", from: 0, to: Double(scenario.warmUp) / duration,
          isWarmUp: true), at: 0)
    }
    let chart = TimelineChart(
      lines: followed.map { TimelineChart.Line(name: $0, look: looks[$0]) },
      panels: [
        TimelineChart.Panel(
          title: "fresh hits, share of reads", highest: 1, text: Self.percentAxis,
          values: share(\.freshHits)),
        TimelineChart.Panel(
          title: "served stale, share of reads", highest: max(highest(stale), 0.02),
          text: Self.percentAxis, values: stale),
        TimelineChart.Panel(
          title: "resident entities", highest: highest(entities),
          text: { HumanNumber.count($0) }, values: entities),
      ], bands: bands, duration: duration,
      description: "\(followed.joined(separator: ", ")) over \(lines[0].count) parts of the run; "
        + (scenario.faults.isEmpty
          ? "no faults" : "faults: " + scenario.faults.map(\.kind).joined(separator: ", ")))
    let isRecorded = scenario.recordedUsers != nil
    let notes: [String?] = [
      scenario.warmUp > 0 ? "Grey: the warm-up, not counted." : nil,
      scenario.faults.isEmpty ? nil : "Red: faults, by name.",
      "A gap: no reads then.",
      isRecorded ? nil : "One seed, so shares differ from the mean of all.",
    ]
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead: notes.compactMap(\.self).joined(separator: " "),
      source: source("timeline.csv", sample: isRecorded ? "n = 1 user" : "n = 1, seed \(seed)"))
  }

  // MARK: One choice at a time

  private var effects: Picture {
    let title = "Effect of changing one setting of lru"
    let effects = scenario.effects
    guard let seeds = effects.compactMap({ $0.difference?.seeds }).first else {
      return .missing(title, scenario.benchCommand)
    }
    let chart = ForestChart(
      lines: effects.map { ForestChart.Line(name: $0.change, difference: $0.difference) },
      reach: reach, axis: "points of fresh hits more than lru's",
      sides: ("← fewer fresh", "more fresh →"), text: { HumanNumber.points($0) },
      description: effects.map { effect in
        "\(effect.change): "
          + (effect.difference.map {
            "\(HumanNumber.points($0.mean)) ± \(HumanNumber.points($0.halfWidth)) points"
          } ?? "not measured")
      }.joined(separator: "; "))
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "lru with one setting changed, on the same seeds. An interval that includes 0: the difference is not "
        + "significant. Each interval is at 95 % by itself, not corrected for multiple comparisons. "
        + "An arrow lies beyond the axis.",
      source: source(
        "verdicts.json: effects", sample: "n = \(scenario.text(of: seeds)), paired; 95 % intervals")
    )
  }
}
