import Analysis
import ResultModel
import Testing
import Text

@testable import Reporting

@Suite("policies.csv and results.csv")
struct PoliciesTableTests {
  @Test("The header names each figure with its unit; seeds and intervals have columns")
  func lines() throws {
    let mean = ResultRow(
      scenario: "chat", policy: "lru", seed: nil, class: .all, metric: .freshHitRatio,
      value: .real(0.466_980_339), sampleCount: 10, confidenceInterval: 0.4...0.6)
    let reads = ResultRow(
      scenario: "chat", policy: "lru", seed: nil, class: .all, metric: .reads, value: .real(7),
      sampleCount: 10)
    let rows = SampleRows.policy("ttl", hit: 0.9, fresh: 0.75, bytes: 5, weight: 3) + [mean, reads]
    let limits = [ContenderIdentity(scenario: "chat", policy: "lru"): "500 entities, 15 queries"]
    let text = String(
      decoding: try PoliciesTable.csv(rows, verdicts: [], limits: limits), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(
      lines[0]
        == """
        scenario,policy,recommended,limits,seeds,reads_count,fresh_hit_ratio,fresh_hit_ratio_low,fresh_hit_ratio_high,\
        stale_read_share,stale_read_share_low,stale_read_share_high,hit_ratio,failed_count,\
        read_wait_mean_ns,read_wait_mean_ns_low,read_wait_mean_ns_high,\
        read_wait_p95_ns,slow_read_share,bytes_fetched,bytes_fetched_low,bytes_fetched_high,\
        bytes_answers,bytes_catch_up,bytes_pushed,predicted_bytes_peak,over_limit_peak_ratio,\
        disk_bytes_peak,offline_hit_ratio
        """)
    #expect(lines[1].hasPrefix("file-browser,ttl,,,1,1000,0.75,,,0.01,,,0.9,,"), "\(lines[1])")
    #expect(
      lines[2].hasPrefix("chat,lru,,\"500 entities, 15 queries\",10,7,0.46698,0.4,0.6,,,,,"),
      "\(lines[2])")
    #expect(lines.count == 3)
  }

  @Test("Every column is a statistic that the registry allows, exact, and named once")
  func columns() {
    for figure in MainFigure.ofBaseline {
      #expect(figure.metric.statistics.contains(figure.statistic), "\(figure.label)")
      #expect(figure.metric.noiseClass == .exact, "\(figure.label)")
      #expect(MainFigure(label: figure.label) == figure, "\(figure.label)")
    }
    #expect(Set(PoliciesTable.columns).count == PoliciesTable.columns.count)
    for column in PoliciesTable.columns {
      let words = column.split(separator: "_")
      for unit in ["bytes", "ns", "count", "ratio"] {
        #expect(words.count { $0 == unit } <= 1, "\(column)")
      }
    }
    for label in ["", "fresh_hit_ratio[all", "read_wait[all] p42", "reads value", "nonsense[all]"] {
      #expect(MainFigure(label: label) == nil, "\(label)")
    }
  }

  @Test("results.csv leaves out missing values, and classes without reads under a policy")
  func results() {
    func row(
      _ metric: Metric, _ value: Double?, _ name: ResultClass, policy: String = "lru", n: Int? = 10
    ) -> ResultRow {
      ResultRow(
        scenario: "chat", policy: policy, seed: nil, class: name, metric: metric,
        value: value.map { .real($0) }, sampleCount: n)
    }
    let kept = [
      row(.reads, 5, "inbox"), row(.hitFresh, 0, "inbox"), row(.reads, 0, .all),
      row(.fetches, 0, .total), row(.reads, 3, "search", policy: "ttl"),
    ]
    let dropped = [
      row(.reads, 0, "search"), row(.hitFresh, 0, "search"), row(.hitRatio, nil, "inbox", n: 0),
      row(.servedExpired, nil, "inbox", n: nil),
    ]
    #expect(ResultsTable.rows(of: kept + dropped) == kept)
  }
}

@Suite("Reads as CSV")
struct ReadTableTests {
  private static let reads = [
    ReadLine(
      scenario: "chat", policy: "lru", seed: 1, client: "phone, old", action: 7, at: 1_500,
      read: "=search(ab)", outcome: .hitStale, waited: 0, age: 12,
      difference: .init(word: "older", row: 3)),
    ReadLine(
      scenario: "chat", policy: "lru", seed: 1, client: "phone, old", action: 9, at: 2_500,
      read: "file 3", outcome: .failed, waited: nil, age: nil, difference: nil),
  ]

  private static let text = """
    scenario,policy,seed,client,action,at_ns,read,outcome,waited_ns,age_ns,difference,row
    chat,lru,1,"phone, old",7,1500,'=search(ab),hit_stale,0,12,older,3
    chat,lru,1,"phone, old",9,2500,file 3,failed,,,,

    """

  @Test("A written table is read back")
  func roundTrip() throws {
    let bytes = ReadTable.header + ReadTable.lines(Self.reads)
    #expect(String(decoding: bytes, as: UTF8.self) == Self.text)
    #expect(try ReadTable.read(bytes) == Self.reads)
  }

  @Test(
    "A file of another kind is refused with line and column",
    arguments: [
      ("7,1500", "x,1500", "line 2: action"), ("7,1500", "-7,1500", "line 2: action"),
      ("hit_stale", "hit_ratio", "line 2: outcome"), ("hit_stale", "reads_x", "line 2: outcome"),
      ("older,3", "older,", "line 2: row"), (",failed,,,,", ",failed,,,", "line 3: 11 cells"),
      ("at_ns", "at", "line 1: the header"), ("0,12", "0.5,12", "line 2: waited_ns"),
    ])
  func refused(part: String, replacement: String, expected: String) throws {
    let broken = Self.text.replacing(part, with: replacement)
    let error = #expect(throws: CSVError.self) { try ReadTable.read(Array(broken.utf8)) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix(expected), "\(text)")
  }
}
