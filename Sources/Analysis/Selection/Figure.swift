package import ResultModel

/// What contenders are compared by: a measured value of a run, or a weighted sum of several.
package struct Figure: Hashable, Sendable {
  /// One measured value, and how often it counts.
  package struct Term: Hashable, Sendable {
    package let metric: Metric
    package let statistic: Statistic
    package let weight: Double

    package init(_ metric: Metric, _ statistic: Statistic = .value, weight: Double = 1) {
      self.metric = metric
      self.statistic = statistic
      self.weight = weight
    }
  }

  /// As rules and reports call it; of a figure of one term, the metric's name.
  package let name: String
  package let unit: MetricUnit
  /// Whose reads are meant: the `class` of the rows.
  package let `class`: ResultClass
  package let terms: [Term]

  package init(_ name: String, unit: MetricUnit, class: ResultClass = .total, terms: [Term]) {
    self.name = name
    self.unit = unit
    self.class = `class`
    self.terms = terms
  }

  /// The figure of a metric as it is measured.
  ///
  /// - Parameters:
  ///   - metric: What is measured.
  ///   - statistic: `nil`: the first that it has.
  ///   - unit: In which it is shown; `nil`: the metric's.
  ///   - class: `nil`: all reads of the user, or the run where the metric has no classes of reads.
  package init(
    _ metric: Metric, _ statistic: Statistic? = nil, unit: MetricUnit? = nil,
    class: ResultClass? = nil
  ) {
    self.init(
      metric.name, unit: unit ?? metric.unit,
      class: `class` ?? (metric.isOfReads ? .all : .total),
      terms: [Term(metric, statistic ?? metric.statistics.first ?? .value)])
  }

  /// The figure of one run, from the rows of that run; O(rows · terms).
  ///
  /// - Returns: `nil` where a term was not measured or is no finite number: what is unknown is never
  ///   added up as zero.
  package func value(in run: some Sequence<ResultRow>) -> Double? {
    var sum = 0.0
    for term in terms {
      let row = run.first {
        $0.metric == term.metric && $0.statistic == term.statistic
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
    guard staleWeight != 0 else { return Figure(.freshHitRatio) }
    return Figure(
      "\(Metric.freshHitRatio.name) less stale", unit: .ratio, class: .all,
      terms: [Term(.freshHitRatio), Term(.staleReadShare, weight: -staleWeight)])
  }

  package static let readWait = Figure(.readWait)

  /// What the network carried for a cache, in both ways that bytes come to it.
  package static let bytesReceived = Figure(
    "\(Metric.bytesFetched.name) + \(Metric.bytesPushed.name)", unit: .bytes,
    terms: [Term(.bytesFetched), Term(.bytesPushed)])

  package static let peakMemory = Figure(.predictedBytes)

  package static let staleReadShare = Figure(.staleReadShare)

  /// The largest share of a limit that was in use, 1 for all of it.
  package static let overLimit = Figure(.overLimit, unit: .factor)

  /// The share of fresh reads of the client that has the lowest.
  package static let freshHitRatioOfWorstClient = Figure(.freshHitRatio, class: "worst-client")
}
