import ResultModel
import Testing
import Text

@testable import Reporting

@Suite("Wide CSV")
struct SummaryTableTests {
  private func records(_ rows: [ResultRow]) throws -> [[String]] {
    var reader = try CSVReader(try SummaryTable.csv(rows))
    var records: [[String]] = []
    while let record = try reader.next() { records.append(record.cells) }
    return records
  }

  @Test("every column is a statistic that the registry allows, with its unit in the name")
  func columns() {
    for column in SummaryTable.columns {
      let metric = column.metric
      #expect(metric.statistics.contains(column.statistic), "\(metric)")
      #expect(metric.noiseClass == .exact, "\(column.metric): summary.csv must be reproducible")
      #expect(column.name.hasSuffix(metric.unit.rawValue))
    }
    #expect(Set(SummaryTable.columns.map(\.name)).count == SummaryTable.columns.count)
    let names = SummaryTable.columns.map(\.name)
    for name in [
      "hit_ratio", "bytes_fetched_bytes", "resident_weight_peak_bytes", "reads_count",
      "staleness_age_p95_nanoseconds", "stale_read_share_ratio", "read_wait_mean_nanoseconds",
      "file_hit_ratio", "worst-client_fresh_hit_ratio", "total_reads_count",
    ] {
      #expect(names.contains(name))
    }
  }

  @Test("one line per scenario, policy and seed, and one over the seeds; empty where missing")
  func lines() throws {
    var rows = SampleRows.simulated
    rows.append(
      ResultRow(
        scenario: "search", policy: "lru", seed: nil, class: "search", metric: .hitRatio,
        value: .real(0.25)))
    let records = try records(rows)
    #expect(
      records.map { Array($0.prefix(3)) } == [
        ["scenario", "policy", "seed"], ["file-browser", "lru", "7"], ["file-browser", "ttl", "7"],
        ["file-browser", "unbounded", "7"], ["search", "lru", ""],
      ])
    func column(_ name: String) -> [String]? {
      records[0].firstIndex(of: name).map { index in records.dropFirst().map { $0[index] } }
    }
    #expect(column("hit_ratio") == ["0.91", "0.88", "0.99", ""])
    #expect(column("file_hit_ratio") == ["0.91", "0.88", "0.99", ""])
    #expect(column("search_hit_ratio") == ["", "", "", "0.25"])
    #expect(rows.filter(SummaryTable.shows).count == rows.count)
    let bytes = try #require(records[0].firstIndex(of: "bytes_fetched_bytes"))
    #expect(records.map { $0[bytes] }.dropFirst() == ["12300000", "15000000", "1000", ""])
    #expect(Set(records.map(\.count)).count == 1)
  }
}
