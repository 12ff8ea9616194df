import ResultModel
import Testing

@testable import Analysis

@Suite("Target judgement")
struct TargetJudgeTests {
  private static let hits = Target(
    scenario: "file-browser", metric: .hitRatio, class: "file", comparison: .atLeast, limit: 0.9,
    policies: ["lru"])
  private static let latency = Target(
    scenario: "latency", metric: .updateToNotify, statistic: .p99, class: "single",
    comparison: .atMost, limit: 1_000_000, policies: ["spacedrive"])

  private static func hitRow(_ value: Double?, seed: UInt64 = 1) -> ResultRow {
    ResultRow(
      scenario: "file-browser", policy: "lru", seed: seed, class: "file", metric: .hitRatio,
      value: value.map(MetricValue.real))
  }

  private static func latencyRow(
    _ metric: Metric, _ value: Int64?, policy: String = "spacedrive", class: ResultClass = "single"
  ) -> ResultRow {
    ResultRow(
      scenario: "latency", policy: policy, seed: 1, class: `class`, metric: metric,
      statistic: .p99, value: value.map(MetricValue.integer), sampleCount: 812)
  }

  private func outcome(_ target: Target, _ rows: [ResultRow]) -> TargetJudgement.Outcome? {
    TargetJudge(rows: rows).judge([target]).first?.outcome
  }

  @Test(
    "a limit holds at equality",
    arguments: [(0.95, true), (0.9, true), (0.9.nextDown, false), (0.0, false)])
  func limits(value: Double, isMet: Bool) {
    #expect(outcome(Self.hits, [Self.hitRow(value)]) == (isMet ? .met : .missed))
    var mirrored = Self.hits
    mirrored.comparison = .atMost
    mirrored.limit = -0.9
    #expect(outcome(mirrored, [Self.hitRow(-value)]) == (isMet ? .met : .missed))
  }

  @Test("a figure that was not measured is missing, never a pass")
  func missing() {
    #expect(outcome(Self.hits, []) == .missing(reason: "not measured"))
    #expect(outcome(Self.hits, [Self.hitRow(nil)]) == .missing(reason: "no value"))
    #expect(
      outcome(Self.latency, [Self.latencyRow(.updateToNotify, nil)])
        == .missing(reason: "too few samples for p99: 812"))
    #expect(
      outcome(Self.hits, [Self.hitRow(1, seed: 1), Self.hitRow(nil, seed: 2)])
        == .missing(reason: "no value"))
  }

  @Test(
    "what a recording leaves open is judged by its bounds, and is no verdict if they differ",
    arguments: [(0.7, 0.8, false), (0.9, 0.95, true), (0.8, 0.9, nil)] as [(Double, Double, Bool?)]
  )
  func bounds(lower: Double, upper: Double, isMet: Bool?) throws {
    func row(_ statistic: Statistic, _ value: Double?) -> ResultRow {
      ResultRow(
        scenario: "session", policy: "lru", seed: 0, class: "total", metric: .freshHitRatio,
        statistic: statistic, value: value.map(MetricValue.real), sampleCount: 40)
    }
    let target = Target(
      scenario: "session", metric: .freshHitRatio, comparison: .atLeast, limit: 0.9,
      policies: ["lru"])
    let rows = [row(.value, nil), row(.lower, lower), row(.upper, upper)]
    let judgement = try #require(TargetJudge(rows: rows).judge([target]).first)
    let expected: TargetJudgement.Outcome =
      switch isMet {
      case true?: .met
      case false?: .missed
      case nil: .missing(reason: "the recording does not say which hits were fresh")
      }
    #expect(judgement.outcome == expected)
    #expect(judgement.measured == (isMet == nil ? nil : MetricValue.real(lower)))
  }

  @Test("other classes, policies and statistics are not taken instead")
  func identity() {
    var total = Self.hitRow(1)
    total.class = "total"
    var other = Self.hitRow(1)
    other.policy = "ttl"
    #expect(outcome(Self.hits, [total, other]) == .missing(reason: "not measured"))
  }

  @Test("the worst seed is judged")
  func worstSeed() throws {
    let rows = [Self.hitRow(0.95, seed: 1), Self.hitRow(0.8, seed: 2), Self.hitRow(0.99, seed: 3)]
    let judgement = try #require(TargetJudge(rows: rows).judge([Self.hits]).first)
    #expect(judgement.outcome == .missed)
    #expect(judgement.measured == .real(0.8))
    #expect(judgement.seed == 2)
    #expect(judgement.seeds == 3)
  }

  @Test("with more seeds only the first five are judged, as by every command")
  func firstSeeds() throws {
    #expect(TargetJudge.seeds == SeedPlan.automatic.common)
    let rows = (1...20).reversed().map { Self.hitRow($0 > 5 ? 0.1 : 0.95, seed: UInt64($0)) }
    let judgement = try #require(TargetJudge(rows: rows).judge([Self.hits]).first)
    #expect(judgement.outcome == .met && judgement.seeds == TargetJudge.seeds)
  }

  @Test(
    "a mean next to its seeds is not a seed: it neither hides a missed one nor misses for rounding")
  func meanBesideSeeds() throws {
    var mean = Self.hitRow(0.9, seed: 0)
    mean.seed = nil
    func judgement(_ values: [Double], mean value: Double) throws -> TargetJudgement {
      mean.value = .real(value)
      let seeds = values.enumerated().map { Self.hitRow($1, seed: UInt64($0) + 1) }
      return try #require(TargetJudge(rows: seeds + [mean]).judge([Self.hits]).first)
    }
    let missed = try judgement([0.99, 0.85], mean: 0.92)
    #expect(missed.outcome == .missed && missed.measured == .real(0.85) && missed.seed == 2)
    let met = try judgement([0.9, 0.9, 0.9], mean: 0.9.nextDown)
    #expect(met.outcome == .met && met.seeds == 3)
    // By itself it is what there is.
    mean.value = .real(0.8)
    let alone = try #require(TargetJudge(rows: [mean]).judge([Self.hits]).first)
    #expect(alone.outcome == .missed && alone.seed == nil)
  }

  @Test(
    "an slo target is inconclusive where the control takes more than half of the limit",
    arguments: [300_000, 900_000, 1_500_000])
  func noise(measured: Int64) {
    let row = Self.latencyRow(.updateToNotify, measured)
    let quiet = Self.latencyRow(.controlNotify, 500_000)
    let noisy = Self.latencyRow(.controlNotify, 500_001)
    #expect(outcome(Self.latency, [row, quiet]) == (measured <= 1_000_000 ? .met : .missed))
    #expect(
      outcome(Self.latency, [row, noisy])
        == .inconclusive(reason: "control_notify p99 takes 50 % of the limit"))
  }

  @Test("of a limit that is partly gone on any machine, half of the rest is left to the control")
  func unavoidable() {
    var target = Self.latency
    target.unavoidable = 800_000
    let row = Self.latencyRow(.updateToNotify, 900_000)
    #expect(outcome(target, [row, Self.latencyRow(.controlNotify, 100_000)]) == .met)
    #expect(
      outcome(target, [row, Self.latencyRow(.controlNotify, 150_000)])
        == .inconclusive(reason: "control_notify p99 takes 75 % of what the limit leaves"))
  }

  @Test("a control measured once for all policies and classes is found; without one, no verdict")
  func controlPlaces() {
    let row = Self.latencyRow(.updateToNotify, 10)
    let places: [(String, ResultClass)] = [("spacedrive", "single"), ("", "single"), ("", .total)]
    for (policy, name) in places {
      let control = Self.latencyRow(.controlNotify, 5, policy: policy, class: name)
      #expect(outcome(Self.latency, [row, control]) == .met)
    }
    #expect(
      outcome(Self.latency, [row]) == .missing(reason: "its control control_notify p99 is missing"))
    let elsewhere = Self.latencyRow(.controlNotify, 5, policy: "lru")
    #expect(
      outcome(Self.latency, [row, elsewhere])
        == .missing(reason: "its control control_notify p99 is missing"))
  }

  @Test("one judgement per bound policy, in order; a metric without policy has one")
  func policies() {
    var target = Self.hits
    target.policies = ["ttl", "lru"]
    var machine = Self.hits
    machine.policies = []
    let judgements = TargetJudge(rows: [Self.hitRow(1)]).judge([target, machine])
    #expect(judgements.map(\.policy) == ["ttl", "lru", ""])
    #expect(judgements.map { $0.outcome == .met } == [false, true, false])
  }
}
