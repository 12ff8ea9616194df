import NormalizedCacheCore
package import ResultModel
import Workloads

package struct SimulationResult: Sendable {
  package let scenario: String
  package let policy: String
  package let seed: UInt64
  let tally: Tally
  package let outcomes: ReadOutcomes
  /// The figures of each client, in the order of the workload's.
  package let clients: [Client]
  /// The counts over time, if requested.
  package let timeline: Timeline?

  /// The classes of queries, by the model's names.
  private let classes: [String]
  /// Whether figures that need the server's own state could be measured.
  private let knowsTruth: Bool
  /// Whether the policy's admission may reject arrivals.
  private let mayReject: Bool
  /// How much of the cache's contents is visible.
  private let sight: Sight
  /// The name and version reported by a black-box cache.
  package var claim: String?

  /// What is known of a cache's inside.
  enum Sight {
    case everything
    /// A black-box cache that reports its memory.
    case memory
    case nothing
  }

  package struct Client: Sendable {
    /// Reads of queries and entities, and the fresh ones among the served.
    package var reads: Int
    package var freshHits: Int

    init(_ tally: Tally) {
      let all = tally.ofUser
      reads = all.reads
      freshHits = all[.hitFresh]
    }
  }

  init(
    of workload: Workload, policy: String, mayReject: Bool, sight: Sight = .everything,
    _ tally: Tally,
    outcomes: ReadOutcomes, clients: [Client], timeline: Timeline?
  ) {
    self.timeline = timeline
    self.outcomes = outcomes
    self.clients = clients
    scenario = workload.name
    self.policy = policy
    seed = workload.seed
    self.mayReject = mayReject
    self.sight = sight
    knowsTruth = workload.truth == .known
    classes = workload.model.classes
    self.tally = tally
  }

  /// The number of simulated session actions, deliveries, requests and answers.
  package var operations: Int { tally.operations }
  /// The unit of the limit that was exceeded by most, as in `queries`; `nil` if none was, or it is unknown.
  package var exceededLimit: String? {
    tally.overLimit.share > 1 ? tally.overLimit.limit?.rawValue : nil
  }
  /// The number of entities returned or received by the caches.
  package var entityAccesses: Int { tally.workDone }

  /// The rows of the report, in the order of the classes and of the metric registry.
  package var rows: [ResultRow] {
    var total = ReadTally()
    for reads in tally.queries { total.add(reads) }
    var rows: [ResultRow] = []
    for (index, name) in classes.enumerated() {
      rows += readRows(tally.queries[index], in: ResultClass(name))
    }
    rows += readRows(tally.entities, in: "entity")
    rows += readRows(total, in: "total")
    total.add(tally.entities)
    rows += readRows(total, in: "all")
    rows += readRows(tally.firsts, in: "first")
    rows += readRows(tally.redraws, in: "redraw")
    return rows + [worstClient] + afterRelaunches + ofDisk + withoutLink + ofWrites + totals
  }

  /// Metrics that need the cache's contents.
  private static let metricsFromInside: [Metric] = [
    .servedExpired, .servedExpiredShare, .bytesWastedIdentical, .divergentEntities, .gapsDetected,
    .falseGaps, .redundantReconciles, .reconciles, .resyncs, .evictions, .admissionRejections,
    .retainedOverflow, .entityAccesses, .eventsApplied, .eventItemsApplied, .duplicatesIgnored,
    .residentEntities, .residentWeight, .predictedBytes, .cachedQueries, .overLimit,
  ]

  private static let metricsOfMemory: [Metric] = [.predictedBytes, .overLimit]

  /// Metrics known only partly from an app's recording: counts are of the known values.
  private static let metricsOfSightings: [Metric] = [
    .hitFresh, .hitStale, .freshHitRatio, .staleReadShare,
  ]

  /// The figures of users' writes; empty without writes.
  private var ofWrites: [ResultRow] {
    guard let writes = tally.writes else { return [] }
    let counts: [(Metric, Int)] = [
      (.writes, writes.made), (.writesRefused, writes.refused), (.writesFailed, writes.failed),
      (.writesUnacknowledged, writes.unacknowledged), (.writesLost, writes.lost),
      (.duplicateWrites, writes.twice),
    ]
    return counts.map { row($0, .integer(Int64($1))) }
      + quantiles(.writeVisibleLatency, writes.timesToShown, in: "total")
      + quantiles(.writeConfirmed, writes.timesToConfirmed, in: "total")
      + quantiles(.writeWait, writes.waits, in: "total")
  }

  /// The figures of relaunches; empty without any.
  private var afterRelaunches: [ResultRow] {
    guard tally.relaunches > 0 else { return [] }
    let reads = tally.coldStarts.reads
    let ratio =
      reads == 0 ? nil : MetricValue.real(Double(tally.coldStarts.hits) / Double(reads))
    return readRows(tally.coldStarts, in: "cold-start")
      + [
        row(.relaunches, .integer(Int64(tally.relaunches))),
        row(.coldStartHitRatio, ratio, samples: reads),
      ]
  }

  /// The figures of the storage; empty without one.
  private var ofDisk: [ResultRow] {
    guard let disk = tally.disk else { return [] }
    let rows =
      [row(.diskBytes, .integer(Int64(disk.peakBytes)), .peak)]
      + (disk.meanBytes.map { [row(.diskBytes, .real($0), .mean)] } ?? [])
      + [row(.diskWrites, .integer(Int64(disk.rowsWritten)))]
    let files = disk.peakFiles.map { [row(.files, .integer(Int64($0)), .peak)] } ?? []
    guard tally.hasTiers else { return rows + files }
    let reads = tally.ofUser
    return rows + files + [
      row(.memoryHits, .integer(Int64(reads.hits - reads.diskHits)), in: "all"),
      row(.diskHits, .integer(Int64(reads.diskHits)), in: "all"),
    ]
  }

  /// The figures of reads without a link; without values if there were none, since another seed may have
  /// some.
  private var withoutLink: [ResultRow] {
    [(tally.offline, ResultClass.all), (tally.offlineTagged, "tagged")].map { offline, name in
      row(
        .offlineHitRatio,
        offline.reads == 0 ? nil : .real(Double(offline.served) / Double(offline.reads)), in: name,
        samples: offline.reads)
    }
  }

  private func row(
    _ metric: Metric, _ value: MetricValue?, _ statistic: Statistic = .value,
    in class: ResultClass = .total, samples: Int? = nil
  ) -> ResultRow {
    let isMeasured =
      (knowsTruth || !metric.needsGroundTruth || Self.metricsOfSightings.contains(metric))
      && isInSight(metric)
    return ResultRow(
      scenario: scenario, policy: policy, seed: seed, class: `class`, metric: metric,
      statistic: statistic, value: isMeasured ? value : nil,
      sampleCount: isMeasured ? samples : nil)
  }

  /// Returns whether a metric is measured for a black-box cache that reports its memory, or does not.
  package static func isMeasured(_ metric: Metric, fromOutsideKnowing knowsMemory: Bool) -> Bool {
    !metricsFromInside.contains(metric) || knowsMemory && metricsOfMemory.contains(metric)
  }

  private func isInSight(_ metric: Metric) -> Bool {
    switch sight {
    case .everything: true
    case .memory: Self.isMeasured(metric, fromOutsideKnowing: true)
    case .nothing: Self.isMeasured(metric, fromOutsideKnowing: false)
    }
  }

  private func readRows(_ tally: ReadTally, in class: ResultClass) -> [ResultRow] {
    let reads = tally.reads
    func share(_ count: Int) -> MetricValue? {
      reads == 0 ? nil : .real(Double(count) / Double(reads))
    }
    var rows = [row(.reads, .integer(Int64(reads)), in: `class`)]
    for outcome in Outcome.allCases where outcome != .hitUnknown || !knowsTruth {
      rows.append(row(outcome.metric, .integer(Int64(tally[outcome])), in: `class`))
    }
    /// For a recording also the bounds, whatever its unknown hits were.
    func range(_ metric: Metric, _ outcome: Outcome) -> [ResultRow] {
      let (known, unknown) = (tally[outcome], tally[.hitUnknown])
      let value = unknown == 0 ? share(known) : nil
      let whole = row(metric, value, in: `class`, samples: value == nil && reads > 0 ? nil : reads)
      guard !knowsTruth else { return [whole] }
      return [whole]
        + [(Statistic.lower, known), (.upper, known + unknown)].map {
          row(metric, share($1), $0, in: `class`, samples: reads)
        }
    }
    rows.append(row(.hitRatio, share(tally.hits), in: `class`, samples: reads))
    rows += range(.freshHitRatio, .hitFresh) + range(.staleReadShare, .hitStale)
    rows.append(row(.servedExpired, .integer(Int64(tally.servedExpired)), in: `class`))
    rows.append(
      row(.servedExpiredShare, share(tally.servedExpired), in: `class`, samples: reads))
    rows += quantiles(.stalenessAge, tally.stalenessAges, in: `class`)
    return rows + waits(tally, in: `class`)
  }

  /// The share of fresh hits of the client that has the lowest.
  private var worstClient: ResultRow {
    let shares = clients.filter { $0.reads > 0 }.map { Double($0.freshHits) / Double($0.reads) }
    return row(
      .freshHitRatio, knowsTruth ? shares.min().map { .real($0) } : nil, in: "worst-client",
      samples: shares.isEmpty ? 0 : nil)
  }

  private func waits(_ tally: ReadTally, in class: ResultClass) -> [ResultRow] {
    let answered = tally.answered
    let summary = SampleSummary(tally.waits, zeros: answered - tally.waits.count)
    var rows = [
      row(.readWait, summary.mean.map { .real($0) }, .mean, in: `class`, samples: answered)
    ]
    rows += [Statistic.p50, .p95, .p99].map { statistic in
      row(
        .readWait, summary.quantile(statistic).map { .integer($0) }, statistic, in: `class`,
        samples: answered)
    }
    let share =
      tally.reads == 0 ? nil : MetricValue.real(Double(tally.slow) / Double(tally.reads))
    return rows + [row(.slowReadShare, share, in: `class`, samples: tally.reads)]
  }

  private func quantiles(
    _ metric: Metric, _ samples: [Int64], in class: ResultClass
  ) -> [ResultRow] {
    let summary = SampleSummary(samples)
    return [Statistic.p50, .p95, .max].map { statistic in
      row(
        metric, summary.quantile(statistic).map { .integer($0) }, statistic, in: `class`,
        samples: summary.count)
    }
  }

  private var totals: [ResultRow] {
    let counts = tally.counts.filter { mayReject || $0.metric != .admissionRejections }
    let impossible =
      tally.opensInViews == 0
      ? nil : MetricValue.real(Double(tally.impossibleOpens) / Double(tally.opensInViews))
    return [
      row(.abandoned, .integer(Int64(tally.abandoned))),
      row(.rowNotReadyShare, impossible, samples: tally.opensInViews),
    ]
      + counts.map { row($0.metric, .integer(Int64($0.count))) }
      + quantiles(.timeToConsistency, tally.timesToConsistency, in: "total")
      + [
        row(.residentEntities, .integer(Int64(tally.store.peakResidentEntities)), .peak),
        row(.residentEntities, .real(tally.meanEntities), .mean),
        row(.residentWeight, .integer(Int64(tally.store.peakResidentWeight)), .peak),
        row(.residentWeight, .real(tally.meanWeight), .mean),
        row(.predictedBytes, .integer(Int64(tally.predictedBytes)), .peak),
        row(.cachedQueries, .integer(Int64(tally.store.peakQueries)), .peak),
        row(.overLimit, .real(tally.overLimit.share), .peak),
      ]
  }
}
