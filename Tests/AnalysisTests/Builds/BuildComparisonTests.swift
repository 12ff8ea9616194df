import CacheModel
import ResultModel
import Testing

@testable import Analysis

@Suite("Times of two builds")
struct BuildComparisonTests {
  private static let figure = FigureIdentity(
    scenario: "operations", policy: "", class: "single", metric: .operationTime,
    statistic: .value)

  /// Twelve rounds in which everything takes 1,000 ns, with noise of this amount to either side.
  private static func series(
    candidate: Double = 1, control: Double = 1, canary: Double = 1.1, noise: Double = 0.01,
    base: Double = 1_000, seed: UInt64 = 1, rounds: Int = 12
  ) -> BuildComparison.Series {
    var random = RandomSource(seed: seed)
    let factors = [1, candidate, control, candidate * canary]
    var values = factors.map { _ in [Double?]() }
    for _ in 0..<rounds {
      // Effects of a round on all figures cancel out.
      let mood = 1 + random.unit()
      for (arm, factor) in factors.enumerated() {
        values[arm].append(base * mood * factor * (1 + noise * (2 * random.unit() - 1)))
      }
    }
    return BuildComparison.Series(figure, values)
  }

  private static func judge(
    _ first: BuildComparison.Series, _ second: BuildComparison.Series? = nil
  ) throws -> MeasuredFinding {
    try #require(
      BuildComparison().judge([first], confirmation: second.map { [$0] }).first)
  }

  @Test("A tenth more that a second series confirms is worse, a tenth less better")
  func apart() throws {
    let worse = try Self.judge(
      Self.series(candidate: 1.1), Self.series(candidate: 1.1, seed: 2))
    #expect(worse.outcome == .worse)
    #expect(try #require(worse.interval).contains(0.1))
    #expect(abs(try #require(worse.change) - 0.1) < 0.01)
    let better = try Self.judge(
      Self.series(candidate: 0.9), Self.series(candidate: 0.9, seed: 2))
    #expect(better.outcome == .better)
  }

  @Test("Nothing more is shown to be the same, and a second series is not asked for")
  func same() throws {
    #expect(try Self.judge(Self.series()).outcome == .same)
    #expect(!BuildComparison().wantsConfirmation([Self.series()]))
    #expect(BuildComparison().wantsConfirmation([Self.series(candidate: 1.1)]))
  }

  @Test("A difference of two hundredths is significant and too small to count")
  func belowTheFloor() throws {
    let finding = try Self.judge(Self.series(candidate: 1.02, noise: 0.002))
    #expect(finding.outcome == .same)
  }

  @Test("A difference that a second series does not confirm is inconclusive")
  func unconfirmed() throws {
    let finding = try Self.judge(Self.series(candidate: 1.1), Self.series(seed: 2))
    #expect(finding.outcome == .inconclusive)
    #expect(finding.reason == "a second series did not confirm it")
  }

  @Test("If two runs of one build differ significantly, no comparison is trusted")
  func alarm() throws {
    let finding = try Self.judge(
      Self.series(candidate: 1.1, control: 1.1), Self.series(candidate: 1.1, seed: 2))
    #expect(finding.outcome == .inconclusive)
    #expect(finding.reason == "two runs of the baseline differed too")
  }

  @Test("If an added slowdown is not detected, no figure counts as the same")
  func blind() throws {
    let finding = try Self.judge(Self.series(canary: 1))
    #expect(finding.outcome == .inconclusive)
    #expect(finding.reason == "an added slowdown of 10 % was not detected either")
  }

  @Test("Much noise is inconclusive, and the detectable difference is named")
  func noise() throws {
    let noisy = try Self.judge(Self.series(canary: 2, noise: 0.3))
    #expect(noisy.outcome == .inconclusive)
    let quiet = try Self.judge(Self.series())
    let (seen, unseen) = (try #require(quiet.detectable), noisy.detectable ?? .infinity)
    #expect(seen < 0.1)
    #expect(unseen > 0.15)
  }

  @Test("A nanosecond more is the same, however large a share of it")
  func absoluteFloor() throws {
    let finding = try Self.judge(Self.series(candidate: 1.1, canary: 2, base: 5))
    #expect(finding.outcome == .same)
  }

  @Test(
    "A value that is missing or no time is an error, never the same",
    arguments: [nil, 0, -1, .nan, .infinity] as [Double?])
  func missing(value: Double?) throws {
    for arm in [BuildComparison.Arm.baseline, .candidate] {
      var series = Self.series()
      series.values[arm.rawValue][5] = value
      let finding = try Self.judge(series)
      #expect(finding.outcome == .error)
      #expect(finding.outcome.leavesDoubt)
    }
    var empty = Self.series()
    empty.values = empty.values.map { _ in [] }
    #expect(try Self.judge(empty).outcome == .error)
    var blind = Self.series()
    blind.values[BuildComparison.Arm.canary.rawValue][0] = value
    #expect(try Self.judge(blind).outcome == .inconclusive)
  }
}

@Suite("Counts of two builds")
struct CountComparisonTests {
  private func row(
    _ value: MetricValue?, _ metric: Metric = .bytesPerEntity
  ) -> ResultRow {
    ResultRow(scenario: "memory", policy: "lru", seed: 1, metric: metric, value: value)
  }

  private func outcome(
    _ old: MetricValue?, _ new: MetricValue?, _ metric: Metric = .bytesPerEntity
  ) -> MeasuredFinding.Outcome? {
    CountComparison.findings(baseline: [row(old, metric)], candidate: [row(new, metric)])
      .first?.outcome
  }

  @Test("A tenth of a percent is not a change, more is")
  func tolerance() {
    #expect(outcome(.integer(10_000), .integer(10_010)) == .same)
    #expect(outcome(.integer(10_000), .integer(10_011)) == .worse)
    #expect(outcome(.integer(10_000), .integer(9_989)) == .better)
    #expect(outcome(.integer(10_000), .integer(9_990)) == .same)
  }

  @Test("One allocation where there was none is worse")
  func fromZero() {
    #expect(outcome(.real(0), .real(1), .allocationsPerEvent) == .worse)
    #expect(outcome(.real(0), .real(0), .allocationsPerEvent) == .same)
  }

  @Test("A thousand bytes of an entity are worse")
  func fat() {
    #expect(outcome(.real(1_422), .real(2_446)) == .worse)
  }

  @Test("A missing count is an error")
  func missing() {
    #expect(outcome(.integer(1), nil) == .error)
    #expect(outcome(nil, .integer(1)) == .error)
    #expect(outcome(.real(.nan), .integer(1)) == .error)
    #expect(outcome(.integer(1), .real(.infinity)) == .error)
    let findings = CountComparison.findings(baseline: [row(.integer(1))], candidate: [])
    #expect(findings.map(\.outcome) == [.error])
  }
}

@Suite("The rounds of a comparison that count")
struct RoundChoiceTests {
  @Test("A round counts where none of its processes was a tenth slower than the fastest of all")
  func disturbed() {
    let choice = RoundChoice(controls: [[100, 105], [100, 150], [109, 101], [111, 100]])
    #expect((0..<4).map(choice.isDisturbed) == [false, true, false, true])
    #expect(choice.undisturbed == 2)
  }

  @Test("The first undisturbed ones are taken, then the least disturbed, in order of time")
  func chosen() {
    let choice = RoundChoice(controls: [[150], [100], [120], [100], [101], [180]])
    #expect(choice.rounds(2) == [1, 3])
    #expect(choice.rounds(3) == [1, 3, 4])
    #expect(choice.rounds(5) == [0, 1, 2, 3, 4])
    #expect(choice.rounds(4) == [1, 2, 3, 4])
    #expect(choice.rounds(9) == [0, 1, 2, 3, 4, 5])
  }

  @Test("If a build times no such operations, its rounds count")
  func none() {
    let choice = RoundChoice(controls: [[nil, nil], [nil, nil]])
    #expect(choice.undisturbed == 2)
    #expect(choice.rounds(1) == [0])
    #expect(RoundChoice(controls: [[nil, 100], [nil, 150]]).undisturbed == 1)
  }
}
