import ResultModel

/// Bytes by purpose and reads by outcome: stacked bars.
extension ScenarioPictures {
  var bytes: Picture {
    let title = "Bytes received"
    let bars = policies.compactMap { policy -> BarChart.Bar? in
      guard let answers = figures.value(name, policy, .bytesOfAnswers),
        let caughtUp = figures.value(name, policy, .bytesOfCatchUp),
        let pushed = figures.value(name, policy, .bytesPushed)
      else { return nil }
      return BarChart.Bar(
        name: policy, ink: looks[policy].ink, values: [answers, caughtUp, pushed],
        text: HumanNumber.bytes(answers + caughtUp + pushed))
    }
    guard !bars.isEmpty else { return .missing(title, scenario.rowsCommand) }
    let chart = BarChart(
      parts: [
        BarChart.Part(name: "answers to reads", color: 0),
        BarChart.Part(name: "catching up after gaps", color: 2),
        BarChart.Part(name: "pushed by events", color: 1),
      ], bars: bars, axis: "bytes, mean of a run",
      highest: bars.map { $0.values.reduce(0, +) }.reduce(0, max),
      tickText: { HumanNumber.bytes($0) },
      description: bars.map { "\($0.name) \($0.text)" }.joined(separator: ", "))
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "Shorter is better. Pushed: events, equal for all policies that take them. Answers: fetches of data that the "
        + "cache lacked. Catching up: data missed while disconnected, or fetched again because of that.",
      source: source(
        "results.csv: bytes_answers, bytes_catch_up, bytes_pushed"))
  }

  static let outcomes: [(metric: Metric, name: String)] = [
    (.partial, "rows evicted"), (.missEvicted, "list dropped"), (.missCold, "unknown"),
    (.missExpired, "expired"), (.missInvalidated, "invalidated"), (.coalesced, "fetch under way"),
    (.bypass, "bypassed"), (.failed, "no server"), (.hitStale, "served stale"),
  ]

  var causes: Picture {
    let title = "Why reads were not fresh"
    // Causes that never occur need no colour.
    let kept = Self.outcomes.enumerated().filter { _, outcome in
      policies.contains { (figures.value(name, $0, outcome.metric) ?? 0) > 0 }
    }.map { (metric: $1.metric, name: $1.name, color: $0) }
    let bars = policies.compactMap { policy -> BarChart.Bar? in
      guard let reads = figures.value(name, policy, .reads), reads > 0 else { return nil }
      let counts = kept.map { figures.value(name, policy, $0.metric) }
      guard !counts.contains(nil) else { return nil }
      let shares = counts.map { ($0 ?? 0) / reads }
      return BarChart.Bar(
        name: policy, ink: looks[policy].ink, values: shares,
        text: HumanNumber.percent(shares.reduce(0, +)))
    }
    guard !bars.isEmpty, !kept.isEmpty else { return .missing(title, scenario.rowsCommand) }
    let chart = BarChart(
      parts: kept.map { BarChart.Part(name: $0.name, color: $0.color) }, bars: bars,
      axis: "share of the user's reads",
      highest: bars.map { $0.values.reduce(0, +) }.reduce(0, max), tickText: Self.percentAxis,
      description: bars.map { "\($0.name) \($0.text)" }.joined(separator: ", "))
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "Misses and stale hits by cause: shorter is better, and the longest part is the first to work on. "
        + "Unknown: the cache never had the answer, or had forgotten a dropped entity.",
      source: source("results.csv: " + kept.map(\.metric.name).joined(separator: ", ")))
  }
}
