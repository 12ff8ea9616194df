import ResultModel
import Testing
import Text

@testable import Reporting

@Suite("baseline.csv")
struct BaselineTableTests {
  private static func row(
    _ metric: Metric, _ value: Double?, seed: UInt64 = 1, policy: String = "lru",
    class: ResultClass? = nil, _ statistic: Statistic = .value, n: Int? = nil
  ) -> ResultRow {
    ResultRow(
      scenario: "chat", policy: policy, seed: seed,
      class: `class` ?? (metric.isOfReads ? .all : .total), metric: metric, statistic: statistic,
      value: value.map { .real($0) }, sampleCount: n)
  }

  /// Two seeds of one policy and one of another; a figure that is no main one is in the digests alone.
  private static let rows = [
    row(.freshHitRatio, 0.5), row(.predictedBytes, 900, .peak), row(.offlineHitRatio, nil, n: 0),
    row(.hitRatio, 0.75, class: "inbox"), row(.partial, 3, class: "inbox"),
    row(.freshHitRatio, 0.6, seed: 2), row(.predictedBytes, 800, seed: 2, .peak),
    row(.offlineHitRatio, nil, seed: 2, n: 0), row(.hitRatio, 0.25, seed: 2, class: "inbox"),
    row(.partial, 4, seed: 2, class: "inbox"), row(.freshHitRatio, 0.1, policy: "a,b"),
  ]

  private static let target = Target(
    scenario: "chat", metric: .hitRatio, class: "inbox", comparison: .atLeast, limit: 0.9,
    policies: ["lru"])

  private static func table() throws -> BaselineTable {
    try BaselineTable(rows, targets: [target])
  }

  private static func cells(_ line: some StringProtocol) -> [String] {
    String(line).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  @Test(
    "A line over the seeds with the means, and one for each seed with its digest and main figures")
  func lines() throws {
    let lines = String(decoding: try Self.table().csv(), as: UTF8.self).split(separator: "\n")
    #expect(
      lines[0]
        == """
        scenario,policy,seed,digest,reads[all],fresh_hit_ratio[all],stale_read_share[all],hit_ratio[all],failed[all],\
        read_wait[all] mean,read_wait[all] p95,slow_read_share[all],bytes_fetched,bytes_answers,bytes_catch_up,bytes_pushed,\
        predicted_bytes peak,over_limit peak,disk_bytes peak,offline_hit_ratio[all],notifications_missed,divergent_entities,\
        divergent_queries,writes_lost,duplicate_writes,fetches,evictions,hit_stale[all],miss_cold[all],\
        miss_expired[all],miss_evicted[all],miss_invalidated[all],hit_ratio[inbox]
        """)
    let (over, first, second) = (Self.cells(lines[1]), Self.cells(lines[2]), Self.cells(lines[3]))
    #expect([over, first, second].map { $0[2] } == ["all", "1", "2"])
    #expect([over, first, second].map { $0[5] } == ["0.55", "0.5", "0.6"])
    // The largest peak, nothing to observe, a target's figure, and a metric that the policy lacks.
    #expect([over[16], over[19], over[32], over[8]] == ["900.0", "-", "0.5", ""])
    #expect(first[3] == RunDigest.all(of: Self.rows)[0].text)
    #expect(Set([over[3], first[3], second[3]]).count == 3)
    #expect(lines[4].hasPrefix("chat,\"a,b\",all,") && lines.count == 6)
  }

  @Test("A written table is read back, and gives the main figures over all seeds and seed by seed")
  func roundTrip() throws {
    let table = try Self.table()
    let read = try BaselineTable.read(try table.csv())
    #expect(read.runs == table.runs)
    let main = Self.rows.filter { $0.metric != .partial }
    #expect(Set(read.rows) == Set(main))
    let fresh = read.means.first { $0.metric == .freshHitRatio && $0.policy == "lru" }
    #expect(fresh?.value == .real(0.55) && fresh?.seed == nil && fresh?.confidenceInterval != nil)
    let turned = String(decoding: try table.csv(), as: UTF8.self).replacing("\n", with: "\r\n")
    #expect(try BaselineTable.read(Array(turned.utf8)).runs == table.runs)
  }

  @Test("A figure, a digest, a seed or a line that was edited or lost is an error with its line")
  func damaged() throws {
    let text = String(decoding: try Self.table().csv(), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    var damaged: [[String]] = []
    for index in lines.indices.dropFirst() {
      damaged.append(Array(lines[..<index] + lines[(index + 1)...]))
      var cells = Self.cells(lines[index].replacing("\"a,b\"", with: "ab"))
      cells[5] = "0.51"
      damaged.append(lines.replacing(index, with: cells.joined(separator: ",")))
      cells = Self.cells(lines[index])
      let digest = lines[index].contains("\"") ? 4 : 3
      cells[digest] = "0123456789abcdef"
      damaged.append(lines.replacing(index, with: cells.joined(separator: ",")))
    }
    damaged.append(Array(lines[0...2] + lines[4...] + [lines[3]]))
    #expect(damaged.count == 16)
    for copy in damaged {
      #expect(throws: CSVError.self, "\(copy.joined(separator: "\n"))") {
        try BaselineTable.read(Array((copy.joined(separator: "\n") + "\n").utf8))
      }
    }
    #expect(throws: CSVError.self) { try BaselineTable.read(Array(text.dropLast(3).utf8)) }
  }

  @Test("A main figure that was not measured is an error, and no baseline")
  func hole() {
    #expect(throws: ExportError.self) {
      try BaselineTable(Self.rows + [Self.row(.readWait, nil, .mean, n: 4)], targets: [])
    }
  }
}

extension [String] {
  fileprivate func replacing(_ index: Int, with line: String) -> [String] {
    var lines = self
    lines[index] = line
    return lines
  }
}
