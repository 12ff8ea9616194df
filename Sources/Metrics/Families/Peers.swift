/// How much longer a peer takes than the cache under test, under the same events.
extension MetricRegistry {
  static let peers: [MetricDescriptor] = [
    ratio("apply"), ratio("notify"), ratio("event_cost"),
  ]

  private static func ratio(_ stage: String) -> MetricDescriptor {
    MetricDescriptor(
      name: "\(stage)_ratio", unit: .factor, polarity: .higherIsBetter, noiseClass: .sampled,
      statistics: [.p50, .p99],
      definition: "A peer's \(stage) over that of the cache under test, the median of all rounds.",
      notComparableWith: "A quotient of two rows of \(stage), which pool the samples of all rounds."
    )
  }
}
