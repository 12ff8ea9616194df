import Analysis
import ResultModel
import Testing

@Suite("How far a log is from every policy")
struct RecordedGapTests {
  private static func gap(
    _ ratios: KeyValuePairs<String, Double?>, class name: ResultClass = .all
  ) -> RecordedGap? {
    let rows = ratios.map { policy, ratio in
      ResultRow(
        scenario: "grid", policy: policy, seed: 0, class: name, metric: .hitRatio,
        value: ratio.map(MetricValue.real))
    }
    return RecordedGap(scenario: "grid", rows: rows)
  }

  @Test("It is told where no policy is within 10 points, with the nearest on either side")
  func far() {
    let above = Self.gap(["lru": 0.47, "ttl": 0.2, "recorded": 0.9])
    #expect(above?.recorded == 0.9)
    #expect(above?.nearest == "lru")
    #expect(above?.nearestRatio == 0.47)
    let below = Self.gap(["lru": 0.9, "ttl": 0.62, "recorded": 0.5])
    #expect(below?.nearest == "ttl")
    // The first of equals.
    #expect(Self.gap(["lru": 0.25, "ttl": 0.75, "recorded": 0.5])?.nearest == "lru")
  }

  @Test("One policy that is near is enough")
  func near() {
    #expect(Self.gap(["lru": 0.1, "ttl": 0.83, "recorded": 0.9]) == nil)
    #expect(Self.gap(["lru": 0.1, "ttl": 0.98, "recorded": 0.9]) == nil)
    #expect(Self.gap(["lru": 0.79, "recorded": 0.9]) != nil)
  }

  @Test("Without a figure on one side there is none")
  func missing() {
    #expect(Self.gap(["lru": 0.1]) == nil)
    #expect(Self.gap(["lru": 0.1, "recorded": nil]) == nil)
    #expect(Self.gap(["lru": nil, "recorded": 0.9]) == nil)
    #expect(Self.gap(["lru": nil, "ttl": 0.1, "recorded": 0.9])?.nearest == "ttl")
    #expect(Self.gap(["lru": 0.1, "recorded": 0.9], class: "total") == nil)
  }

  @Test("Other scenarios are not looked at")
  func ownScenario() {
    let rows = ["grid", "other"].flatMap { scenario in
      [("lru", scenario == "grid" ? 0.1 : 0.9), ("recorded", 0.9)].map { policy, ratio in
        ResultRow(
          scenario: scenario, policy: policy, seed: 0, class: "all", metric: .hitRatio,
          value: .real(ratio))
      }
    }
    #expect(RecordedGap(scenario: "grid", rows: rows) != nil)
    #expect(RecordedGap(scenario: "other", rows: rows) == nil)
  }
}
