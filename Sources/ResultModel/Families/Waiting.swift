/// What a user feels: how long reads wait for their rows, in virtual time.
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
