import Analysis
import ResultModel
import Testing

private let seeds: [UInt64] = [1, 2, 3, 4, 5, 6]

/// Every figure of every exact metric of the registry, over six seeds with different values.
private let everyExactRow: [ResultRow] = MetricRegistry.all
  .filter { $0.noiseClass == .exact }
  .flatMap { metric in
    metric.statistics.flatMap { statistic in
      seeds.map { seed in
        ResultRow(
          scenario: "index-storm", policy: "lru", seed: seed, metric: metric, statistic: statistic,
          value: metric.unit == .ratio
            ? .real(0.5 + Double(seed) / 100) : .integer(1_000 + Int64(seed) * 70))
      }
    }
  }

private let figures = everyExactRow.distinct { [$0.metric.name, $0.statistic.rawValue] }

private func identity(_ workload: String = "5 ms", capacity: String = "100") -> ScenarioIdentity {
  ScenarioIdentity(
    scenario: "index-storm", workload: [.init("seed", "1"), .init("network.delay", workload)],
    contenders: [.init("cache.capacity-entities", capacity)])
}

private func results(
  _ rows: [ResultRow], _ scenario: ScenarioIdentity = identity()
) -> ResultSet {
  ResultSet(scenarios: [scenario], rows: rows)
}

private func verdict(
  baseline: [ResultRow] = everyExactRow, candidate: [ResultRow], isStrict: Bool = false
) -> Verdict {
  Gate.compare(
    baseline: results(baseline), candidate: results(candidate), targets: [], isStrict: isStrict)
}

extension ResultRow {
  /// A ratio moved by this many points, anything else by as many thousandths of its value.
  fileprivate func moved(by step: Double) -> ResultRow {
    var row = self
    switch value {
    case .integer(let value): row.value = .real(Double(value) * (1 + step / 1_000))
    case .real(let value): row.value = .real(value + step / 100)
    case nil: break
    }
    return row
  }

  fileprivate func isOf(_ figure: [String]) -> Bool {
    metric.name == figure[0] && statistic.rawValue == figure[1]
  }
}

@Suite("Gate")
struct GateTests {
  /// All rows, with those of one figure changed by `step` for each seed.
  private func planted(
    _ figure: [String], _ step: (UInt64) -> Double
  ) -> [ResultRow] {
    everyExactRow.map { $0.isOf(figure) ? $0.moved(by: step($0.seed ?? 0)) : $0 }
  }

  private func polarity(_ figure: [String]) throws -> Polarity {
    try #require(MetricRegistry.named(figure[0])).polarity
  }

  @Test("equal rows pass, a strict gate too")
  func equal() {
    for isStrict in [false, true] {
      let verdict = verdict(candidate: everyExactRow, isStrict: isStrict)
      #expect(verdict.outcome == .passed)
      #expect(verdict.findings.isEmpty)
      #expect(verdict.equalFigures == figures.count)
    }
    #expect(figures.count > 40)
  }

  @Test("rows of seeds that were not run are not compared with themselves, and targets see them")
  func rowsNotRun() throws {
    var candidate = results(everyExactRow.filter { ($0.seed ?? 0) <= 2 })
    candidate.rowsNotRun = everyExactRow.filter { ($0.seed ?? 0) > 2 }
    let target = Target(
      scenario: "index-storm", metric: .hitRatio, comparison: .atLeast, limit: 0.515,
      policies: ["lru"])
    var baseline = results(everyExactRow)
    baseline.scenarios[0].contenders.append(.init(target.path(of: nil), "0.515"))
    func judged(_ candidate: ResultSet) -> Verdict {
      Gate.compare(baseline: baseline, candidate: candidate, targets: [target])
    }
    let verdict = judged(candidate)
    #expect(verdict.findings.isEmpty)
    #expect(verdict.equalFigures == figures.count)
    #expect(verdict.targets == judged(results(everyExactRow)).targets)
    candidate.rowsNotRun = []
    #expect(judged(candidate).outcome == .inconclusive, "seeds are missing")
  }

  @Test("a planted regression is reported by name, with its size", arguments: figures)
  func plantedRegression(figure: [String]) throws {
    let polarity = try polarity(figure)
    let sign = polarity == .higherIsBetter ? -1.0 : 1
    // Ten points, or a hundredth, a little more in some seeds than in others.
    let verdict = verdict(candidate: planted(figure) { sign * (10 + Double($0) / 10) })
    #expect(verdict.outcome == (polarity == .neutral ? .passed : .failed))
    let finding = try #require(verdict.findings.first)
    #expect(verdict.findings.count == 1)
    #expect([finding.figure.metric.name, finding.figure.statistic.rawValue] == figure)
    #expect(finding.kind == (polarity == .neutral ? .changed : .worse))
    #expect(finding.seeds == 6)
    let halfWidth = try #require(finding.halfWidth)
    #expect(halfWidth > 0)
    let difference = try #require(finding.difference)
    #expect(abs(difference) > halfWidth)
    if finding.figure.metric.unit == .ratio {
      #expect(abs(difference - sign * 0.1035) < 1e-12)
    }
    #expect(verdict.equalFigures == figures.count - 1)
  }

  @Test("an improvement passes and is reported; a strict gate fails by it", arguments: figures)
  func improvement(figure: [String]) throws {
    let sign = try polarity(figure) == .higherIsBetter ? 1.0 : -1
    let candidate = planted(figure) { _ in sign * 10 }
    let isNeutral = try polarity(figure) == .neutral
    let usual = verdict(candidate: candidate)
    #expect(usual.outcome == .passed)
    #expect(usual.findings.map(\.kind) == [isNeutral ? .changed : .better])
    #expect(verdict(candidate: candidate, isStrict: true).outcome == .failed)
  }

  @Test("a difference that is insignificant or too small is changed and passes")
  func notToldApart() {
    let ratio = [Metric.freshHitRatio.name, Statistic.value.rawValue]
    let bytes = [Metric.bytesFetched.name, Statistic.value.rawValue]
    let byChance: (UInt64) -> Double = { $0.isMultiple(of: 2) ? -5 : 4.5 }
    // Just below 0.05 points and 0.5 %, the same in each seed.
    let little: [([String], (UInt64) -> Double)] = [
      (ratio, byChance), (ratio, { _ in -0.049 }), (bytes, { $0 == 1 ? 90 : 0 }),
      (bytes, { _ in 4.9 }),
    ]
    for (figure, step) in little {
      let candidate = planted(figure, step)
      let usual = verdict(candidate: candidate)
      #expect(usual.findings.map(\.kind) == [.changed])
      #expect(usual.outcome == .passed)
      #expect(verdict(candidate: candidate, isStrict: true).outcome == .failed)
    }
    #expect(verdict(candidate: planted(ratio) { _ in -0.051 }).outcome == .failed)
    #expect(verdict(candidate: planted(bytes) { _ in 5.1 }).outcome == .failed)
  }

  @Test("what must be zero fails as soon as it is not, in however few seeds")
  func leavesZero() {
    func rows(_ metric: Metric, _ values: [Int64]) -> [ResultRow] {
      zip(seeds, values).map { seed, value in
        ResultRow(
          scenario: "index-storm", policy: "lru", seed: seed, metric: metric,
          value: .integer(value))
      }
    }
    let zeros: [Int64] = [0, 0, 0, 0, 0]
    for metric in [
      Metric.divergentEntities, .divergentQueries, .notificationsMissed, .writesLost,
      .duplicateWrites,
    ] {
      let verdict = verdict(
        baseline: rows(metric, zeros), candidate: rows(metric, [0, 0, 0, 50, 0]))
      #expect(verdict.findings.map(\.kind) == [.worse])
      #expect(verdict.outcome == .failed)
    }
    // Another count may vary, and so may what was not zero.
    for (metric, before) in [(Metric.evictions, zeros), (.divergentEntities, [0, 0, 1, 0, 0])] {
      let verdict = verdict(
        baseline: rows(metric, before), candidate: rows(metric, [0, 0, 0, 50, 0]))
      #expect(verdict.findings.map(\.kind) == [.changed])
    }
  }

  @Test("one seed of a scenario is one draw of many; a recording has only one")
  func oneSeed() {
    let row = ResultRow(
      scenario: "index-storm", policy: "lru", seed: 1, metric: .freshHitRatio, value: .real(0.5))
    var recorded = identity()
    recorded.isRecorded = true
    for (scenario, kind) in [(identity(), Finding.Kind.changed), (recorded, .worse)] {
      let verdict = Gate.compare(
        baseline: results([row], scenario), candidate: results([row.moved(by: -1)], scenario),
        targets: [])
      #expect(verdict.findings.map(\.kind) == [kind])
    }
  }

  @Test("a missing value is reported by name, and is not a pass", arguments: figures)
  func plantedHole(figure: [String]) {
    let absent = everyExactRow.filter { !($0.isOf(figure) && $0.seed == 3) }
    var empty = everyExactRow
    var notANumber = everyExactRow
    for index in empty.indices where empty[index].isOf(figure) && empty[index].seed == 3 {
      empty[index].value = nil
      notANumber[index].value = .real(.nan)
    }
    for candidate in [absent, empty, notANumber] {
      let verdict = verdict(candidate: candidate)
      #expect(verdict.outcome == .inconclusive)
      #expect(verdict.outcome.exitCode == 4)
      #expect(verdict.findings.map(\.kind) == [.missing])
      #expect(verdict.findings.first?.figure.metric.name == figure[0])
    }
  }

  @Test("one unit in the last place is a difference, also beyond 2⁵³")
  func lastPlace() {
    let reads = ResultRow(
      scenario: "index-storm", policy: "lru", seed: 1, metric: .bytesFetched,
      value: .integer(1 << 53))
    var more = reads
    more.value = .integer(1 << 53 + 1)
    var ratio = reads
    ratio.metric = .hitRatio
    ratio.value = .real(0.5)
    var next = ratio
    next.value = .real(0.5.nextUp)
    for (before, after) in [(reads, more), (next, ratio)] {
      let verdict = verdict(baseline: [before], candidate: [after], isStrict: true)
      #expect(verdict.findings.map(\.kind) == [.changed])
      #expect(verdict.outcome == .failed)
    }
  }

  @Test("a policy that is gone fails as removed, a new one is reported, each once")
  func policies() {
    var other = everyExactRow
    for index in other.indices { other[index].policy = "ttl" }
    let removed = verdict(baseline: everyExactRow + other, candidate: everyExactRow)
    #expect(removed.outcome == .failed)
    #expect(removed.findings.map(\.kind) == [.removed])
    #expect(removed.findings.map(\.figure.policy) == ["ttl"])
    let added = verdict(candidate: everyExactRow + other, isStrict: true)
    #expect(added.outcome == .passed)
    #expect(added.findings.map(\.kind) == [.addedContender])
  }

  @Test("a figure without a baseline is reported and passes; without a value it is a hole")
  func added() {
    let last = figures[figures.count - 1]
    let baseline = everyExactRow.filter { !$0.isOf(last) }
    let usual = verdict(baseline: baseline, candidate: everyExactRow)
    #expect(usual.outcome == .passed)
    #expect(usual.findings.map(\.kind) == [.added])
    var empty = everyExactRow
    empty[empty.count - 1].value = nil
    #expect(verdict(baseline: baseline, candidate: empty).findings.map(\.kind) == [.missing])
  }

  @Test("nothing to observe is an answer; its appearance is a change")
  func nothingToObserve() {
    let none = ResultRow(
      scenario: "index-storm", policy: "no-cache", seed: 1, metric: .stalenessAge,
      statistic: .p95, value: nil, sampleCount: 0)
    var some = none
    some.value = .integer(5)
    some.sampleCount = 1
    #expect(verdict(baseline: [none], candidate: [none]).outcome == .passed)
    #expect(verdict(baseline: [none], candidate: [some]).findings.map(\.kind) == [.changed])
    #expect(verdict(baseline: [some], candidate: [none]).findings.map(\.kind) == [.changed])
  }

  @Test("a row that is there twice is invalid")
  func invalid() {
    let twice = verdict(candidate: everyExactRow + [everyExactRow[3]])
    #expect(twice.outcome == .inconclusive)
    #expect(twice.findings.map(\.kind) == [.invalid])
    #expect(twice.findings.first?.figure.metric == everyExactRow[3].metric)
  }

  @Test("wall-clock metrics are not compared")
  func sampledRowsAreLeftOut() {
    let slow = ResultRow(
      scenario: "index-storm", policy: "lru", seed: 1, metric: .apply, statistic: .p99,
      value: .integer(5))
    let verdict = verdict(baseline: everyExactRow + [slow], candidate: everyExactRow)
    #expect(verdict.outcome == .passed)
    #expect(verdict.equalFigures == figures.count)
  }

  @Test("failure outranks inconclusive, and inconclusive outranks incompatible")
  func order() {
    let figure = [Metric.freshHitRatio.name, Statistic.value.rawValue]
    let worse = planted(figure) { _ in -10 }
    #expect(verdict(candidate: Array(worse.dropLast())).outcome == .failed)
    // Two scenarios, of which one has another workload.
    func inOther(_ rows: [ResultRow]) -> [ResultRow] {
      rows.map {
        var row = $0
        row.scenario = "media-scroll"
        return row
      }
    }
    func both(_ rows: [ResultRow], delay: String) -> ResultSet {
      ResultSet(
        scenarios: [
          identity(), ScenarioIdentity(scenario: "media-scroll", workload: [.init("delay", delay)]),
        ], rows: rows + inOther(everyExactRow))
    }
    let baseline = both(everyExactRow, delay: "1")
    let outcomes = [everyExactRow, Array(everyExactRow.dropLast()), worse].map {
      Gate.compare(baseline: baseline, candidate: both($0, delay: "2"), targets: []).outcome
    }
    #expect(outcomes == [.incompatible, .inconclusive, .failed])
  }
}

@Suite("Digests in a gate")
struct GateDigestTests {
  /// A run of which only the share of fresh hits is compared by name.
  private func set(_ rows: [ResultRow]) -> ResultSet {
    ResultSet(
      scenarios: [identity()],
      rows: rows.filter { $0.metric == .freshHitRatio && $0.statistic == .value },
      digests: RunDigest.all(of: rows))
  }

  /// One figure of one seed of one class, the least that can move.
  private func moved(_ metric: Metric, by step: Double) -> [ResultRow] {
    everyExactRow.map { row in
      row.metric == metric && row.seed == 4 ? row.moved(by: step) : row
    }
  }

  @Test("equal digests pass, and are counted by run")
  func equal() {
    let verdict = Gate.compare(
      baseline: set(everyExactRow), candidate: set(everyExactRow), targets: [], isStrict: true)
    #expect(verdict.outcome == .passed)
    #expect(verdict.comparedRuns == 6 && verdict.equalRuns == 6)
    #expect(verdict.changedPolicies.isEmpty)
  }

  @Test(
    "one figure of one seed that is not compared by name fails a strict gate, and leaves any other in doubt",
    arguments: [Metric.missCold, .gapsDetected, .writeWait, .residentWeight])
  func belowMainFigures(metric: Metric) {
    for (isStrict, outcome) in [(true, Verdict.Outcome.failed), (false, .inconclusive)] {
      let verdict = Gate.compare(
        baseline: set(everyExactRow), candidate: set(moved(metric, by: 1e-6)), targets: [],
        isStrict: isStrict)
      #expect(verdict.outcome == outcome)
      #expect(verdict.findings.isEmpty)
      #expect(verdict.equalRuns == 5)
      #expect(verdict.changedPolicies.map(\.seeds) == [[4]])
      #expect(verdict.changedPolicies.map(\.isNamed) == [false])
    }
  }

  @Test("a main figure that moved names the differing fields, and is judged by its interval")
  func mainFigure() {
    let verdict = Gate.compare(
      baseline: set(everyExactRow), candidate: set(moved(.freshHitRatio, by: -1)), targets: [])
    #expect(verdict.findings.map(\.kind) == [.changed])
    #expect(verdict.changedPolicies.map(\.isNamed) == [true])
    #expect(verdict.outcome == .passed)
  }

  @Test("a scenario of another workload has no digest to compare")
  func otherWorkload() {
    var other = set(everyExactRow)
    other.scenarios = [identity("50 ms")]
    let verdict = Gate.compare(
      baseline: other, candidate: set(moved(.missCold, by: 1)), targets: [])
    #expect(verdict.comparedRuns == 0)
    #expect(verdict.outcome == .incompatible)
  }

  @Test("the rows of the baseline's own build name all differences; others are not used")
  func listing() {
    let after = moved(.missCold, by: 50)
    func listed(_ before: [ResultRow]) -> (verdict: Verdict, others: [ContenderIdentity]) {
      var verdict = Gate.compare(
        baseline: set(everyExactRow), candidate: set(after), targets: [])
      let others = verdict.list(
        from: before, to: after, of: set(everyExactRow).digests, recorded: [])
      return (verdict, others)
    }
    let made = listed(everyExactRow)
    #expect(made.others.isEmpty)
    #expect(made.verdict.findings.map(\.figure.metric) == [.missCold])
    #expect(made.verdict.changedPolicies.map(\.isNamed) == [true])
    #expect(made.verdict.listedPolicies.map(\.policy) == ["lru"])
    let other = listed(after)
    #expect(other.others.map(\.policy) == ["lru"])
    #expect(other.verdict.findings.isEmpty && other.verdict.listedPolicies.isEmpty)
    #expect(other.verdict.outcome == .inconclusive)
    #expect(listed([]).others.map(\.policy) == ["lru"], "a build without rows made nothing")
  }
}

@Suite("Gate against a baseline that cannot be compared")
struct GateCompatibilityTests {
  @Test("another workload, another schema, no rows, a row twice: exit code 3")
  func incompatible() throws {
    let rows = everyExactRow
    var oldSchema = results(rows)
    oldSchema.schemaVersion = ResultSchema.version + 1
    var ofOthers = results([])
    ofOthers.rowsOfOthers = 7
    let delayed = Gate.compare(
      baseline: results(rows, identity("50 ms")), candidate: results(rows), targets: [])
    guard case .workloadChanged(let change) = delayed.incompatibilities.first else {
      Issue.record("\(delayed.incompatibilities)")
      return
    }
    #expect(change.fields.map(\.path) == ["network.delay"])
    #expect(change.fields.first?.baseline == "50 ms" && change.fields.first?.candidate == "5 ms")
    let cases: [(ResultSet, Incompatibility)] = [
      (results(rows, identity("50 ms")), .workloadChanged(change)),
      (
        oldSchema,
        .schemaVersion(baseline: ResultSchema.version + 1, expected: ResultSchema.version)
      ),
      (results([]), .emptyBaseline),
      (ofOthers, .otherScenarios(["index-storm"])),
      (ResultSet(scenarios: [], rows: rows), .scenarioWithoutContent("index-storm")),
      (results(rows + [rows[0]]), .duplicateRow(rows[0].identity)),
    ]
    for (baseline, expected) in cases {
      let verdict = Gate.compare(baseline: baseline, candidate: results(rows), targets: [])
      #expect(verdict.incompatibilities == [expected])
      #expect(verdict.outcome == .incompatible)
      #expect(verdict.outcome.exitCode == 3)
      #expect(verdict.findings.isEmpty)
    }
  }

  @Test("runs without a common seed, or by another schema, are never a pass")
  func nothingInCommon() {
    let later = results(everyExactRow.filter { ($0.seed ?? 0) > 2 })
    var first = results(everyExactRow.filter { ($0.seed ?? 0) <= 2 })
    let verdict = Gate.compare(baseline: later, candidate: first, targets: [], isStrict: true)
    #expect(
      verdict.incompatibilities == [
        .noCommonRun("index-storm", baseline: [3, 4, 5, 6], candidate: [1, 2])
      ])
    #expect(verdict.outcome == .incompatible)
    first.schemaVersion = ResultSchema.version - 1
    let former = Gate.compare(baseline: results(everyExactRow), candidate: first, targets: [])
    #expect(
      former.incompatibilities == [
        .candidateVersion(ResultSchema.version - 1, expected: ResultSchema.version)
      ])
  }

  @Test("a baseline whose only policies failed now is not empty")
  func onlyFailedPolicies() {
    var baseline = results([])
    baseline.lacksFailedPolicies = true
    let verdict = Gate.compare(baseline: baseline, candidate: results([]), targets: [])
    #expect(verdict.incompatibilities == [])
  }

  @Test("other contenders are compared, and their differing fields are named")
  func contenders() {
    let verdict = Gate.compare(
      baseline: results(everyExactRow),
      candidate: results(everyExactRow, identity(capacity: "50")), targets: [])
    #expect(verdict.outcome == .passed)
    #expect(verdict.contenderChanges.map(\.scenario) == ["index-storm"])
    #expect(
      verdict.contenderChanges.flatMap(\.fields).map(\.path) == ["cache.capacity-entities"])
  }

  @Test("a scenario that the baseline lacks passes, one that is gone fails")
  func newScenario() {
    var row = everyExactRow[0]
    row.scenario = "media-scroll"
    let both = ResultSet(
      scenarios: [identity(), ScenarioIdentity(scenario: "media-scroll", workload: [])],
      rows: everyExactRow + [row])
    let new = Gate.compare(baseline: results(everyExactRow), candidate: both, targets: [])
    #expect(new.outcome == .passed)
    #expect(new.findings.map(\.kind) == [.addedContender])
    let gone = Gate.compare(baseline: both, candidate: results(everyExactRow), targets: [])
    #expect(gone.outcome == .failed)
    #expect(gone.findings.map(\.kind) == [.removed])
  }
}
