import ResultModel
import Testing

@Suite("Digests of runs")
struct RunDigestTests {
  private func row(
    _ metric: Metric, _ value: MetricValue?, seed: UInt64 = 1, class: ResultClass = .all,
    _ statistic: Statistic = .value, n: Int? = nil
  ) -> ResultRow {
    ResultRow(
      scenario: "s", policy: "lru", seed: seed, class: `class`, metric: metric,
      statistic: statistic, value: value, sampleCount: n)
  }

  private var rows: [ResultRow] {
    [
      row(.reads, .integer(10)), row(.hitRatio, .real(0.1)),
      row(.hitRatio, .real(0.25), class: "inbox"), row(.stalenessAge, nil, .p95, n: 0),
      row(.apply, .integer(5), class: "single", .p99),
    ]
  }

  private func text(_ rows: [ResultRow]) -> String? { RunDigest.all(of: rows).first?.text }

  @Test("One digest for each scenario, policy and seed; the same on every machine")
  func stable() {
    let digests = RunDigest.all(of: rows + [row(.reads, .integer(10), seed: 2)])
    #expect(digests.map(\.seed) == [1, 2])
    // FNV-1a over the four lines, each with 0xff behind it; the time of this machine is not among them.
    #expect(digests.map(\.text) == ["87d26e2d4192585e", "9b69a00a54c73e06"])
  }

  @Test("The order of the rows does not matter, and neither do figures measured on this machine")
  func sameContent() {
    #expect(text(rows.reversed()) == text(rows))
    #expect(text(rows.filter { $0.metric != .apply }) == text(rows))
  }

  @Test("Every figure counts: its last digit, its class, that it is there, that it was measured")
  func everyFigure() throws {
    let original = try #require(text(rows))
    var changed: [[ResultRow]] = []
    for index in rows.indices where rows[index].metric.noiseClass == .exact {
      var other = rows
      other.remove(at: index)
      changed.append(other)
      other = rows
      other[index].class = "other"
      changed.append(other)
      other = rows
      switch rows[index].value {
      case .integer(let value): other[index].value = .integer(value + 1)
      case .real(let value): other[index].value = .real(value.nextUp)
      case nil: other[index].sampleCount = nil
      }
      changed.append(other)
      changed.append(rows + [rows[index]])
    }
    let digests = changed.compactMap(text)
    #expect(digests.count == 16 && !digests.contains(original))
    #expect(Set(digests).count == 16)
  }
}
