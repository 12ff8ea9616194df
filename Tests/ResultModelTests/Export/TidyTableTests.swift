import CacheModel
import ResultModel
import Testing
import Text

@Suite("Tidy CSV")
struct TidyTableTests {
  private func row(_ value: MetricValue?, scenario: String = "s") -> ResultRow {
    ResultRow(scenario: scenario, policy: "lru", seed: 1, metric: .hitRatio, value: value)
  }

  @Test("the form of every column")
  func snapshot() throws {
    let rows = [
      ResultRow(
        scenario: "index-storm", policy: "lru", seed: .max, metric: .bytesFetched,
        value: .integer(-5)),
      ResultRow(
        scenario: "a,b", policy: "=1+1", seed: 0, class: "say \"hi\"", metric: .apply,
        statistic: .p999, value: nil, sampleCount: 812),
      ResultRow(
        scenario: "-x", policy: "", seed: 1, metric: .hitRatio, value: .real(0.1),
        confidenceInterval: 0.05...0.25),
    ]
    let csv = String(decoding: try TidyTable.csv(rows), as: UTF8.self)
    #expect(
      csv == """
        scenario,policy,seed,class,metric,statistic,value,unit,noise_class,n,ci_low,ci_high,schema_version
        index-storm,lru,18446744073709551615,total,bytes_fetched,value,-5,bytes,exact,,,,\(ResultSchema.version)
        "a,b",'=1+1,0,"say ""hi\""",apply,p99.9,,nanoseconds,sampled,812,,,\(ResultSchema.version)
        '-x,,1,total,hit_ratio,value,0.1,ratio,exact,,0.05,0.25,\(ResultSchema.version)

        """)
  }

  @Test("columns that are added stand behind the others, empty where a row has no cells")
  func addedColumns() throws {
    let csv = try TidyTable.csv(
      [row(.real(0.1)), row(.real(0.2))],
      added: AddedColumns(names: ["capacity", "on_front"], cells: [["1,000", "yes"]]))
    let lines = String(decoding: csv, as: UTF8.self).split(separator: "\n")
    #expect(lines[0] == TidyTable.header + ",capacity,on_front")
    #expect(lines[1].hasSuffix(",\(ResultSchema.version),\"1,000\",yes"), "\(lines[1])")
    #expect(lines[2].hasSuffix(",\(ResultSchema.version),,"), "\(lines[2])")
  }

  @Test("what was written is read back, whatever the names and numbers", arguments: 0..<50)
  func roundTrip(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let rows = (0..<40).map { _ in Self.hostileRow(&random) }
    let bytes = try TidyTable.csv(rows)
    let contents = try TidyTable.read(bytes)
    #expect(contents.rows == rows)
    #expect(contents.schemaVersion == ResultSchema.version)
    #expect(try TidyTable.csv(contents.rows) == bytes)
  }

  @Test("no text cell starts with what a spreadsheet would run")
  func harmless() throws {
    for start in ["=", "+", "-", "@", "\t", "\r", "\n"] {
      let bytes = try TidyTable.csv([row(.integer(1), scenario: start + "cmd|' /C calc'!A0")])
      let line = try #require(
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1).last)
      #expect(line.hasPrefix("'") || line.hasPrefix("\"'"), "\(line)")
    }
  }

  @Test("what cannot be written is an error that names the row")
  func notWritable() {
    for value in [Double.infinity, -.infinity, .nan] {
      #expect {
        try TidyTable.csv([row(.real(value))])
      } throws: { error in
        "\(error)".contains("s/lru seed 1 total: hit_ratio value")
      }
    }
    var statistic = row(nil)
    statistic.statistic = .p99
    #expect(throws: ExportError.unknownStatistic(.p99, metric: .hitRatio)) {
      try TidyTable.csv([statistic])
    }
  }

  private static func hostileRow(_ random: inout RandomSource) -> ResultRow {
    let pieces = [
      "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "'", "\"", ",", "a", "é", "e\u{301}", "\0", " ",
      "𝄞", ";", "\u{FEFF}",
    ]
    func text(_ random: inout RandomSource) -> String {
      (0..<random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
    }
    func name(_ random: inout RandomSource) -> ResultClass {
      let lanes = ResultClass.Lane.allCases
      return ResultClass(
        "c" + text(&random), lane: random.chance(0.5) ? lanes[random.below(lanes.count)] : nil,
        size: random.chance(0.5) ? random.below(.max) : nil,
        pace: random.chance(0.5) ? .backToBack : .openLoop)
    }
    func real(_ random: inout RandomSource) -> Double {
      while true {
        let value = Double(bitPattern: random.next())
        if MachineNumber.sizes.contains(value.magnitude) { return value }
      }
    }
    let values: [MetricValue?] = [
      nil, .integer(Int64(bitPattern: random.next())), .real(real(&random)),
      .real(Double(random.below(9))), .integer(.min), .real(-0.0),
      .real(MachineNumber.sizes.lowerBound),
    ]
    let bounds = [real(&random), real(&random)].sorted()
    let metric = MetricRegistry.all[random.below(MetricRegistry.all.count)]
    return ResultRow(
      scenario: text(&random), policy: text(&random), seed: random.next(), class: name(&random),
      metric: metric,
      statistic: metric.statistics[random.below(metric.statistics.count)],
      value: values[random.below(values.count)],
      sampleCount: random.chance(0.5) ? random.below(.max) : nil,
      confidenceInterval: random.chance(0.3) ? bounds[0]...bounds[1] : nil)
  }
}
