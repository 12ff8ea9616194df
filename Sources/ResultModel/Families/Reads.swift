/// The outcomes of query reads; the counts from `hit_fresh` to `failed` sum to `reads`, in every class.
extension Metric {
  public static let reads = outcome("reads", .neutral, "Query reads that sessions made.")
  public static let hitFresh = outcome(
    "hit_fresh", .higherIsBetter,
    "Reads served complete and without waiting, equal to the ground truth.", needsGroundTruth: true)
  public static let hitStale = outcome(
    "hit_stale", .lowerIsBetter,
    "Reads served complete and without waiting, different from the ground truth.",
    needsGroundTruth: true)
  public static let hitUnknown = outcome(
    "hit_unknown", .neutral,
    "Reads of a recording served complete and without waiting, if it does not say whether they were the truth."
  )
  public static let partial = outcome(
    "partial", .lowerIsBetter,
    "Reads of what was known, while a row was not resident, or only as a summary where more is shown.",
    not: "miss_evicted: a known query with an evicted member counts here only.")
  public static let missCold = outcome(
    "miss_cold", .lowerIsBetter, "Reads of a query that had never been cached.")
  public static let missExpired = outcome(
    "miss_expired", .lowerIsBetter, "Reads of a query whose freshness lifetime had passed.")
  public static let missEvicted = outcome(
    "miss_evicted", .lowerIsBetter,
    "Reads of a query that had been dropped, for space or without an observer.")
  public static let missInvalidated = outcome(
    "miss_invalidated", .lowerIsBetter,
    "Reads of a query that an event, a gap or the application had invalidated.")
  public static let coalesced = outcome(
    "coalesced", .neutral, "Reads that joined a fetch of the same query already in flight.")
  public static let bypass = outcome(
    "bypass", .neutral, "Reads that went past the cache by design.")
  public static let failed = outcome(
    "failed", .lowerIsBetter, "Reads with nothing to serve and no reachable server.")
  public static let hitRatio = Metric(
    name: "hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition:
      "Share of reads served without waiting: (hit_fresh + hit_stale + hit_unknown) / reads.",
    notComparableWith:
      "The hit ratio of a key trace, which counts requests for single entries, not queries.")
  public static let freshHitRatio = Metric(
    name: "fresh_hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    statistics: [.value, .lower, .upper], isOfReads: true, needsGroundTruth: true,
    definition: "Share of reads served without waiting and true: hit_fresh / reads.",
    notComparableWith: "hit_ratio, which also counts what was served wrong.")

  private static func outcome(
    _ name: String, _ polarity: Polarity, _ definition: String, not: String? = nil,
    needsGroundTruth: Bool = false
  ) -> Metric {
    Metric(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact, isOfReads: true,
      needsGroundTruth: needsGroundTruth, definition: definition, notComparableWith: not)
  }
}

extension MetricRegistry {
  static let outcomes: [Metric] = [
    .reads, .hitFresh, .hitStale, .hitUnknown, .partial, .missCold, .missExpired, .missEvicted,
    .missInvalidated,
    .coalesced, .bypass, .failed, .hitRatio, .freshHitRatio,
  ]
}

/// Waiting times of reads, in virtual time.
extension Metric {
  public static let readWait = Metric(
    name: "read_wait", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.mean, .p50, .p95, .p99],
    isOfReads: true,
    definition:
      "Time from a read to its rows, or until its view was left; zero for a hit, none where it failed.",
    notComparableWith: "Latency, which is measured in real time and has no network model.")
  public static let slowReadShare = Metric(
    name: "slow_read_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition: "Share of reads that waited for more than 100 ms, or failed.")
  public static let abandoned = Metric(
    name: "abandoned", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Reads whose view was left before their rows came.")
  public static let rowNotReadyShare = Metric(
    name: "row_not_ready_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Share of the entities opened in a view whose row was not on screen yet, so not to be picked."
  )
}

extension MetricRegistry {
  static let waiting: [Metric] = [
    .readWait, .slowReadShare, .abandoned, .rowNotReadyShare,
  ]
}

/// How outdated served rows were, and for how long.
extension Metric {
  public static let staleReadShare = Metric(
    name: "stale_read_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.value, .lower, .upper], isOfReads: true, needsGroundTruth: true,
    definition: "Share of reads served different from the ground truth: hit_stale / reads.",
    notComparableWith:
      "served_expired: a read may be past its lifetime and true, or within it and stale.")
  public static let servedExpired = Metric(
    name: "served_expired", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition: "Reads served from the cache after their freshness lifetime had passed.",
    notComparableWith: "miss_expired, which counts reads that were not served for that reason.")
  public static let servedExpiredShare = Metric(
    name: "served_expired_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition:
      "Share of reads served after their freshness lifetime had passed: served_expired / reads.",
    notComparableWith: "stale_read_share: what has expired is often still true.")
  public static let stalenessAge = Metric(
    name: "staleness_age", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max], isOfReads: true, needsGroundTruth: true,
    definition:
      "Time from the earliest commit that the served result misses to the read, over the stale reads.",
    notComparableWith: "The age of a response, which also grows while nothing changes.")
}

extension MetricRegistry {
  static let staleness: [Metric] = [
    .staleReadShare, .servedExpired, .servedExpiredShare, .stalenessAge,
  ]
}

/// Whether the cache agrees with the ground truth after faults have ended, and the cost of that.
extension Metric {
  public static let divergentEntities = finding(
    "divergent_entities", .lowerIsBetter,
    "Entities that differ from the ground truth at quiescence while the cache calls them fresh.",
    needsGroundTruth: true)
  public static let divergentQueries = finding(
    "divergent_queries", .lowerIsBetter,
    "Queries that differ from the ground truth at quiescence while the cache calls them fresh.",
    needsGroundTruth: true)
  public static let timeToConsistency = Metric(
    name: "time_to_consistency", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.value, .p50, .p95, .max],
    needsGroundTruth: true,
    definition: "Virtual time from the end of a fault until the cache agrees with the server.",
    notComparableWith: "Wall-clock recovery: links and fetches have the scenario's delays.")
  public static let bytesToConsistency = Metric(
    name: "bytes_to_consistency", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    needsGroundTruth: true,
    definition: "Bytes fetched and replayed between the end of a fault and agreement.")
  public static let gapsDetected = finding(
    "gaps_detected", .neutral, "Holes in a stream's sequence that outlasted the reorder window.")
  public static let falseGaps = finding(
    "false_gaps", .lowerIsBetter,
    "Gaps detected although the events were only late, and arrived afterwards.",
    needsGroundTruth: true)
  public static let reconciles = finding(
    "reconciles", .neutral,
    "Requests for missed events that the cache sent; one without a link does not leave.")
  public static let redundantReconciles = finding(
    "redundant_reconciles", .lowerIsBetter,
    "Reconciliations that found nothing that the cache did not hold.")
  public static let resyncs = finding(
    "resyncs", .lowerIsBetter,
    "Reconciliations that the server could only answer with a full resync.")

  /// Whether a cache without errors has none of it, so that a single one matters, however rare it is.
  package var mustBeZero: Bool {
    [
      .divergentEntities, .divergentQueries, .notificationsMissed, .writesLost, .duplicateWrites,
    ].contains(self)
  }

  private static func finding(
    _ name: String, _ polarity: Polarity, _ definition: String, needsGroundTruth: Bool = false
  ) -> Metric {
    Metric(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact,
      needsGroundTruth: needsGroundTruth, definition: definition)
  }
}

extension MetricRegistry {
  static let consistency: [Metric] = [
    .divergentEntities, .divergentQueries, .timeToConsistency, .bytesToConsistency, .gapsDetected,
    .falseGaps, .reconciles, .redundantReconciles, .resyncs,
  ]
}

/// The results of users' writes, in scenarios with writes.
extension Metric {
  public static let writes = Metric(
    name: "writes", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Changes that users made.")
  public static let writesRefused = Metric(
    name: "writes_refused", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition:
      "Writes that the server refused, or that depended on a refused one; the user was notified.")
  public static let writesFailed = Metric(
    name: "writes_failed", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes sent once to which no answer came, or that the cache did not take.")
  public static let writesUnacknowledged = Metric(
    name: "writes_unacknowledged", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes neither stored nor answered when the process ended, outcome unknown.")
  public static let writesLost = Metric(
    name: "writes_lost", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Acknowledged writes that are neither in effect nor reported as refused; must be 0.")
  public static let duplicateWrites = Metric(
    name: "duplicate_writes", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Writes that took effect at the server more than once; must be 0.")
  public static let writeVisibleLatency = Metric(
    name: "write_visible_latency", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time from a write until the cache shows it; none where it never did.")
  public static let writeConfirmed = Metric(
    name: "write_confirmed", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time from a write until its user knows that the server carried it out.")
  public static let writeWait = Metric(
    name: "write_wait", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.p50, .p95, .max],
    definition: "Time that a write waits in the outbox until it is first sent.")
}

extension MetricRegistry {
  static let writing: [Metric] = [
    .writes, .writesRefused, .writesFailed, .writesUnacknowledged, .writesLost, .duplicateWrites,
    .writeVisibleLatency, .writeConfirmed, .writeWait,
  ]
}
