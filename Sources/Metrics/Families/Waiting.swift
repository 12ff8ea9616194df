/// What a user feels: how long reads wait for their rows, in virtual time.
extension MetricRegistry {
  static let waiting: [MetricDescriptor] = [
    MetricDescriptor(
      name: "read_wait", unit: .nanoseconds, polarity: .lowerIsBetter, noiseClass: .exact,
      statistics: [.mean, .p50, .p95, .p99],
      definition:
        "Time from a read to its rows, or until its view was left; zero for a hit, none where it failed.",
      notComparableWith: "Latency, which is measured in real time and has no network model."),
    MetricDescriptor(
      name: "slow_read_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
      definition: "Share of reads that waited for more than 100 ms, or failed."),
    MetricDescriptor(
      name: "abandoned", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
      definition: "Reads whose view was left before their rows came."),
    MetricDescriptor(
      name: "impossible_action_share", unit: .ratio, polarity: .lowerIsBetter, noiseClass: .exact,
      definition:
        "Share of the entities opened in a view whose row was not on screen yet, so not to be picked."
    ),
  ]
}
