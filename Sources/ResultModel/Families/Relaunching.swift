/// What a cache still has when the app's process ends and begins again, or there is no link.
extension Metric {
  public static let relaunches = Metric(
    name: "relaunches", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Ends of a client's process after each of which another began, warm-up included.")
  public static let coldStartHitRatio = Metric(
    name: "cold_start_hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    definition:
      "Share served without waiting of a process's first reads of what a former one had read.",
    notComparableWith:
      "hit_ratio: of all reads of the user's, while views shown again count here too.")
  public static let diskBytes = Metric(
    name: "disk_bytes", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.peak, .mean],
    definition:
      "Bytes of the rows in a client's storage, as a table would hold them, or of a design's files."
  )
  public static let diskWrites = Metric(
    name: "disk_writes", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Rows of entities and queries written to the clients' storages, or files of a design.")
  public static let files = Metric(
    name: "files", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact, statistics: [.peak],
    definition: "Files of a client's cache.")
  public static let memoryHits = Metric(
    name: "memory_hits", unit: .count, polarity: .higherIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition: "Hits of a design with two tiers that its memory answered.")
  public static let diskHits = Metric(
    name: "disk_hits", unit: .count, polarity: .neutral, noiseClass: .exact, isOfReads: true,
    definition:
      "Hits of a design with two tiers that its disk answered, after the time of a read there.",
    notComparableWith: "memory_hits: these reads waited, for the disk and not for the server.")
  public static let offlineHitRatio = Metric(
    name: "offline_hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition:
      "Share served, fresh or stale, of reads while the link is down; class `tagged`: of what users marked to be kept.",
    notComparableWith: "hit_ratio, which is of all reads, most of them with a link.")
}

extension MetricRegistry {
  static let relaunching: [Metric] = [
    .relaunches, .coldStartHitRatio, .diskBytes, .diskWrites, .files, .memoryHits, .diskHits,
    .offlineHitRatio,
  ]
}
