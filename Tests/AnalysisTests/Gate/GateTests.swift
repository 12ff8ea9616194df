import Analysis
import Metrics
import Testing

/// One row of every statistic of every exact metric of the registry.
private let everyExactRow: [ResultRow] = MetricRegistry.all
  .filter { $0.noiseClass == .exact }
  .flatMap { metric in
    metric.statistics.map {
      ResultRow(
        scenario: "index-storm", policy: "lru", seed: 1, metric: metric, statistic: $0,
        value: metric.unit == .ratio ? .real(0.5) : .integer(1_000))
    }
  }

private func results(_ rows: [ResultRow], digest: String = "d1") -> ResultSet {
  ResultSet(scenarios: [ScenarioDigest(scenario: "index-storm", digest: digest)], rows: rows)
}

private func verdict(
  baseline: [ResultRow] = everyExactRow, candidate: [ResultRow],
  targets: [Target] = []
) -> Verdict {
  Gate.compare(baseline: results(baseline), candidate: results(candidate), targets: targets)
}

extension ResultRow {
  fileprivate func moved(by step: Int) -> ResultRow {
    var row = self
    switch value {
    case .integer(let value): row.value = .integer(value + Int64(step))
    case .real(let value): row.value = .real(value + Double(step) / 1_000)
    case nil: break
    }
    return row
  }

  fileprivate var polarity: Polarity { metric.polarity }
}

@Suite("Gate")
struct GateTests {
  @Test("equal rows pass")
  func equal() {
    let verdict = verdict(candidate: everyExactRow)
    #expect(verdict.outcome == .passed)
    #expect(verdict.differences.isEmpty)
    #expect(verdict.equalRows == everyExactRow.count)
    #expect(everyExactRow.count > 40)
  }

  @Test("a planted regression is reported by name", arguments: everyExactRow.indices)
  func plantedRegression(index: Int) throws {
    let row = everyExactRow[index]
    var candidate = everyExactRow
    candidate[index] = row.moved(by: row.polarity == .higherIsBetter ? -1 : 1)
    let verdict = verdict(candidate: candidate)
    #expect(verdict.outcome == .failed)
    #expect(verdict.outcome.exitCode == 1)
    let difference = try #require(verdict.differences.first)
    #expect(verdict.differences.count == 1)
    #expect(difference.identity == row.identity)
    #expect(difference.kind == (row.polarity == .neutral ? .changed : .regressed))
    #expect(
      difference.identity.description.contains("\(row.metric.name) \(row.statistic.rawValue)"))
    #expect(difference.baseline == row.value)
    #expect(difference.candidate == candidate[index].value)
  }

  @Test("a missing metric is reported by name, and is not a pass", arguments: everyExactRow.indices)
  func plantedHole(index: Int) {
    var absent = everyExactRow
    absent.remove(at: index)
    var empty = everyExactRow
    empty[index].value = nil
    for candidate in [absent, empty] {
      let verdict = verdict(candidate: candidate)
      #expect(verdict.outcome == .inconclusive)
      #expect(verdict.outcome.exitCode == 4)
      #expect(verdict.differences.map(\.kind) == [.missing])
      #expect(verdict.differences.map(\.identity) == [everyExactRow[index].identity])
    }
  }

  @Test("an improvement passes and is reported; a change without direction fails")
  func improvement() throws {
    for index in everyExactRow.indices {
      let row = everyExactRow[index]
      var candidate = everyExactRow
      candidate[index] = row.moved(by: row.polarity == .higherIsBetter ? 1 : -1)
      let verdict = verdict(candidate: candidate)
      let isNeutral = row.polarity == .neutral
      #expect(verdict.outcome == (isNeutral ? .failed : .passed), "\(row.metric)")
      #expect(verdict.differences.map(\.kind) == [isNeutral ? .changed : .improved])
    }
  }

  @Test("one unit in the last place is a difference, also beyond 2⁵³")
  func lastPlace() {
    let reads = ResultRow(
      scenario: "index-storm", policy: "lru", seed: 1, metric: .bytesFetched,
      value: .integer(1 << 53))
    var more = reads
    more.value = .integer(1 << 53 + 1)
    #expect(verdict(baseline: [reads], candidate: [more]).differences.map(\.kind) == [.regressed])
    var ratio = reads
    ratio.metric = .hitRatio
    ratio.value = .real(0.5)
    var next = ratio
    next.value = .real(0.5.nextUp)
    #expect(verdict(baseline: [next], candidate: [ratio]).differences.map(\.kind) == [.regressed])
  }

  @Test("a row without a baseline is reported and passes")
  func unbaselined() {
    var baseline = everyExactRow
    let new = baseline.removeLast()
    let verdict = verdict(baseline: baseline, candidate: everyExactRow)
    #expect(verdict.outcome == .passed)
    #expect(verdict.differences.map(\.kind) == [.unbaselined])
    #expect(verdict.differences.map(\.identity) == [new.identity])
    var empty = everyExactRow
    empty[empty.count - 1].value = nil
    let hole = Gate.compare(baseline: results(baseline), candidate: results(empty), targets: [])
    #expect(hole.differences.map(\.kind) == [.missing])
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
    #expect(verdict(baseline: [none], candidate: [some]).differences.map(\.kind) == [.changed])
    #expect(verdict(baseline: [some], candidate: [none]).differences.map(\.kind) == [.changed])
  }

  @Test("a row that is there twice is invalid")
  func invalid() {
    let twice = verdict(candidate: everyExactRow + [everyExactRow[3]])
    #expect(twice.outcome == .inconclusive)
    #expect(twice.differences.map(\.identity) == [everyExactRow[3].identity])
    #expect(twice.differences.map(\.kind) == [.invalid])
  }

  @Test("wall-clock metrics are not compared")
  func sampledRowsAreLeftOut() {
    let slow = ResultRow(
      scenario: "latency", policy: "lru", seed: 1, metric: .apply, statistic: .p99,
      value: .integer(5))
    let verdict = verdict(baseline: everyExactRow + [slow], candidate: everyExactRow)
    #expect(verdict.outcome == .passed)
    #expect(verdict.equalRows == everyExactRow.count)
  }

  @Test("certain failure outranks doubt")
  func order() {
    var candidate = everyExactRow
    candidate.removeLast()
    candidate[1] = candidate[1].moved(by: -1)
    #expect(verdict(candidate: candidate).outcome == .failed)
  }
}

@Suite("Gate against a baseline that cannot be compared")
struct GateCompatibilityTests {
  @Test("another scenario file, another schema, no rows, a row twice: exit code 3")
  func incompatible() {
    let rows = everyExactRow
    var oldSchema = results(rows)
    oldSchema.schemaVersion = ResultSchema.version + 1
    var ofOthers = results([])
    ofOthers.rowsOfOthers = 7
    let cases: [(ResultSet, Incompatibility)] = [
      (results(rows, digest: "d2"), .scenarioChanged("index-storm")),
      (
        oldSchema,
        .schemaVersion(baseline: ResultSchema.version + 1, expected: ResultSchema.version)
      ),
      (results([]), .emptyBaseline),
      (ofOthers, .otherScenarios(["index-storm"])),
      (ResultSet(scenarios: [], rows: rows), .scenarioWithoutDigest("index-storm")),
      (results(rows + [rows[0]]), .duplicateRow(rows[0].identity)),
    ]
    for (baseline, expected) in cases {
      let verdict = Gate.compare(baseline: baseline, candidate: results(rows), targets: [])
      #expect(verdict.incompatibilities == [expected])
      #expect(verdict.outcome == .incompatible)
      #expect(verdict.outcome.exitCode == 3)
      #expect(verdict.differences.isEmpty)
    }
  }

  @Test("a scenario that the baseline does not have is no obstacle")
  func newScenario() {
    var row = everyExactRow[0]
    row.scenario = "media-scroll"
    let candidate = ResultSet(
      scenarios: [
        ScenarioDigest(scenario: "index-storm", digest: "d1"),
        ScenarioDigest(scenario: "media-scroll", digest: "m"),
      ], rows: everyExactRow + [row])
    let verdict = Gate.compare(baseline: results(everyExactRow), candidate: candidate, targets: [])
    #expect(verdict.outcome == .passed)
    #expect(verdict.differences.map(\.kind) == [.unbaselined])
  }
}
