package import Metrics

/// What contenders are compared by: a measured value of a run, or a weighted sum of several.
package struct Figure: Hashable, Sendable {
  /// One measured value, and how often it counts.
  package struct Term: Hashable, Sendable {
    package let metric: String
    package let statistic: Statistic
    package let weight: Double

    package init(_ metric: String, _ statistic: Statistic = .value, weight: Double = 1) {
      self.metric = metric
      self.statistic = statistic
      self.weight = weight
    }
  }

  /// As rules and reports call it; of a figure of one term, the metric's name.
  package let name: String
  package let unit: MetricUnit
  /// Whose reads are meant: the `class` of the rows.
  package let `class`: String
  package let terms: [Term]

  package init(_ name: String, unit: MetricUnit, class: String = "total", terms: [Term]) {
    self.name = name
    self.unit = unit
    self.class = `class`
    self.terms = terms
  }

  /// The figure of a metric as it is measured.
  package init(
    _ metric: String, _ statistic: Statistic = .value, unit: MetricUnit, class: String = "total"
  ) {
    self.init(metric, unit: unit, class: `class`, terms: [Term(metric, statistic)])
  }

  /// The figure of one run, from the rows of that run; O(rows · terms).
  ///
  /// - Returns: `nil` where a term was not measured or is no finite number: what is unknown is never
  ///   added up as zero.
  package func value(in run: some Sequence<ResultRow>) -> Double? {
    var sum = 0.0
    for term in terms {
      let row = run.first {
        $0.metric == term.metric && $0.statistic == term.statistic.rawValue
          && $0.class == self.class
      }
      guard let value = row?.value?.asDouble, value.isFinite else { return nil }
      sum += term.weight * value
    }
    return sum
  }
}

extension Figure {
  /// The share of reads served at once and true, less `staleWeight` times the share served at once and
  /// wrong.
  package static func freshHitRatio(staleWeight: Double = 0) -> Figure {
    let fresh = Term("fresh_hit_ratio")
    guard staleWeight != 0 else {
      return Figure("fresh_hit_ratio", unit: .ratio, class: "all", terms: [fresh])
    }
    return Figure(
      "fresh_hit_ratio less stale", unit: .ratio, class: "all",
      terms: [fresh, Term("stale_read_share", weight: -staleWeight)])
  }

  package static let readWait = Figure("read_wait", .mean, unit: .nanoseconds, class: "all")

  /// What the network carried for a cache, in both ways that bytes come to it.
  package static let bytesReceived = Figure(
    "bytes_fetched + bytes_pushed", unit: .bytes,
    terms: [Term("bytes_fetched"), Term("bytes_pushed")])

  package static let peakMemory = Figure("predicted_bytes", .peak, unit: .bytes)

  package static let staleReadShare = Figure("stale_read_share", unit: .ratio, class: "all")

  /// The largest share of a limit that was in use, 1 for all of it.
  package static let overLimit = Figure("over_limit", .peak, unit: .factor)

  /// The share of fresh reads of the client that has the lowest.
  package static let freshHitRatioOfWorstClient = Figure(
    "fresh_hit_ratio", unit: .ratio, class: "worst-client")
}
