/// What a cache still has when the app's process ends and begins again.
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
    statistics: [.peak],
    definition: "Bytes of the rows in a client's storage, as a table would hold them.")
  public static let diskWrites = Metric(
    name: "disk_writes", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Rows of entities and queries written to the clients' storages.")
}

extension MetricRegistry {
  static let relaunching: [Metric] = [
    .relaunches, .coldStartHitRatio, .diskBytes, .diskWrites,
  ]
}
