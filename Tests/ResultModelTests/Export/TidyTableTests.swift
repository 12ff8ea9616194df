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

  @Test("added columns come after the others, empty for a row without cells")
  func addedColumns() throws {
    let csv = try TidyTable.csv(
      [row(.real(0.1)), row(.real(0.2))],
      added: AddedColumns(names: ["capacity", "on_front"], cells: [["1,000", "yes"]]))
    let lines = String(decoding: csv, as: UTF8.self).split(separator: "\n")
    #expect(lines[0] == TidyTable.header + ",capacity,on_front")
    #expect(lines[1].hasSuffix(",\(ResultSchema.version),\"1,000\",yes"), "\(lines[1])")
    #expect(lines[2].hasSuffix(",\(ResultSchema.version),,"), "\(lines[2])")
  }

  @Test("written rows are read back, with any names and numbers", arguments: 0..<50)
  func roundTrip(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let rows = (0..<40).map { _ in Self.hostileRow(&random) }
    let bytes = try TidyTable.csv(rows)
    let contents = try TidyTable.read(bytes)
    #expect(contents.rows == rows)
    #expect(contents.schemaVersion == ResultSchema.version)
    #expect(try TidyTable.csv(contents.rows) == bytes)
  }

  @Test("no text cell starts with characters that a spreadsheet would run")
  func harmless() throws {
    for start in ["=", "+", "-", "@", "\t", "\r", "\n"] {
      let bytes = try TidyTable.csv([row(.integer(1), scenario: start + "cmd|' /C calc'!A0")])
      let line = try #require(
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1).last)
      #expect(line.hasPrefix("'") || line.hasPrefix("\"'"), "\(line)")
    }
  }

  @Test("a row that cannot be written is an error that names it")
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

@Suite("Reading tidy CSV")
struct TidyReadingTests {
  private static let header = TidyTable.columns.joined(separator: ",") + "\n"
  private static let good = "s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,1\n"

  private func refusal(_ text: String) -> CSVError? {
    do {
      _ = try TidyTable.read(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("CR LF is read like LF, and a file without rows has no version")
  func lineEnds() throws {
    let unix = Self.header + Self.good
    let windows = unix.split(separator: "\n").map { $0 + "\r\n" }.joined()
    #expect(try TidyTable.read(Array(windows.utf8)) == TidyTable.read(Array(unix.utf8)))
    #expect(try TidyTable.read(Array(Self.header.utf8)).schemaVersion == nil)
  }

  @Test(
    "a broken line is refused with its number and cause",
    arguments: [
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,\n", "12 cells where 13 are expected"),
      ("s,lru,-1,total,hit_ratio,value,0.5,ratio,exact,,,,1\n", "seed is \"-1\""),
      ("s,lru,01,total,hit_ratio,value,0.5,ratio,exact,,,,1\n", "seed is \"01\""),
      ("s,lru,1,total,hit_ratio,value,nan,ratio,exact,,,,1\n", "value is \"nan\", not a number"),
      ("s,lru,1,total,hit_ratio,value,1e999,ratio,exact,,,,1\n", "value is \"1e999\""),
      ("s,lru,1,total,hit_ratio,value,0x1p3,ratio,exact,,,,1\n", "value is \"0x1p3\""),
      ("s,lru,1,total,hit_ratio,value, 1,ratio,exact,,,,1\n", "value is \" 1\""),
      (
        "s,lru,1,total,hit_ratio,value,9223372036854775808,ratio,exact,,,,1\n",
        "value is \"9223372036854775808\""
      ),
      (
        "s,lru,1,total,hit_rate,value,0.5,ratio,exact,,,,1\n",
        "metric is \"hit_rate\", not a metric of this version, which `tidemark list metrics` names"
      ),
      (
        "s,lru,1,total,hit_ratio,p99,0.5,ratio,exact,,,,1\n",
        "statistic is \"p99\", not a statistic of hit_ratio, which has value"
      ),
      ("s,lru,1,total,hit_ratio,value,0.5,percent,exact,,,,1\n", "unit is \"percent\", not ratio"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,slo,,,,1\n", "noise_class is \"slo\", not exact"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,0.1,,1\n", "the end of an interval"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,0.2,0.1,1\n", "the end of an interval"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,2\n", "schema version 2 in a file of"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,\n", "schema_version is \"\""),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,1", "the last line has no end"),
      ("\"s,lru,1,total", "a quoted cell has no end"),
      ("\"s\"x,lru", "text after a closing quote"),
      ("s\"x,lru", "a quote inside an unquoted cell"),
      ("s\rx,lru", "a carriage return without a line feed"),
    ])
  func brokenLine(line: String, cause: String) throws {
    let error = try #require(refusal(Self.header + Self.good + line))
    #expect(error.line == 3)
    #expect("\(error)".contains(cause), "\(error)")
    #expect("\(error)".hasPrefix("line 3: "))
  }

  @Test("a cell that is repeated is shortened, and its control characters are shown by number")
  func hostileCell() throws {
    let cell = "\"\u{1B}[2J\n" + String(repeating: "x", count: 100) + "\""
    let error = try #require(refusal(Self.header + "s,lru," + cell + Self.good.dropFirst(7)))
    let shown = "\\u{1B}[2J\\u{A}" + String(repeating: "x", count: 55) + "…"
    #expect(
      "\(error)" == "line 2: seed is \"\(shown)\", not a whole number from 0 to \(UInt64.max)")
  }

  @Test("lines are counted through the line breaks of quoted cells")
  func linesInCells() throws {
    let tall = "\"a\nb\r\nc\"" + Self.good.dropFirst()
    let error = try #require(refusal(Self.header + tall + "short\n"))
    #expect(error.line == 5)
  }

  @Test("another header, an empty file and bytes that are not text are refused")
  func otherFiles() throws {
    #expect(refusal("")?.line == 1)
    #expect("\(try #require(refusal("a,b\n")))".contains("the header is not scenario,policy"))
    let notText = Array(Self.header.utf8) + [0xFF, 0x0A]
    #expect(throws: CSVError(line: 2, cause: .notUTF8)) { try TidyTable.read(notText) }
  }

  @Test("any prefix of a file is refused or is whole lines of it; no byte makes it trap")
  func prefixesAndFlips() throws {
    let whole = Array((Self.header + Self.good + "\"a\"\"b\nc\"" + Self.good.dropFirst()).utf8)
    let rows = try TidyTable.read(whole).rows
    for end in whole.indices {
      if let contents = try? TidyTable.read(Array(whole[..<end])) {
        #expect(contents.rows == Array(rows.prefix(contents.rows.count)))
        #expect(whole[end - 1] == UInt8(ascii: "\n"))
      }
      for byte: UInt8 in [0, 0x22, 0x0D, 0x0A, 0x2C, 0xFF] {
        var changed = whole
        changed[end] = byte
        if let contents = try? TidyTable.read(changed) { #expect(contents.rows.count <= 3) }
      }
    }
  }
}
