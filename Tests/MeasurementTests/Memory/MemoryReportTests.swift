import Metrics
import Testing

@testable import Measurement

@Suite("Memory reports")
struct MemoryReportTests {
  static let report = MemoryReport(
    entities: 10_000, queries: 100, payloadBytes: 7_000_000, payloadBytesAtTwice: 14_000_000,
    cacheBytes: 11_000_000, cacheBytesAtTwice: 21_000_000, activeBytes: 12_000_000,
    residentWeight: 10_450_000, predictedBytes: 10_780_000,
    openedBytes: 50_000,
    closedBytes: 50_064)

  @Test("What is written is read back")
  func roundTrip() throws {
    #expect(try MemoryReport(text: Self.report.text) == Self.report)
  }

  @Test("Bytes per entity are the slope, split into payload and overhead")
  func slope() throws {
    let rows = Self.report.rows(scenario: "memory", policy: "spacedrive", seed: 1)
    func value(_ metric: Metric) -> Double? {
      rows.first { $0.metric == metric }?.value?.asDouble
    }
    #expect(value(.bytesPerEntity) == 1_000)
    #expect(value(.payloadBytesPerEntity) == 700)
    #expect(value(.overheadBytesPerEntity) == 300)
    #expect(value(.cacheTotalBytes) == 11_000_000)
    #expect(value(.activeBytes) == 12_000_000)
    #expect(value(.weightErrorShare).map { abs($0 - 0.05) < 1e-9 } == true)
    #expect(value(.predictedBytes) == 10_780_000)
    #expect(value(.predictionErrorShare).map { abs($0 - 0.02) < 1e-9 } == true)
    #expect(value(.bytesAfterClose) == 64)
  }

  @Test("A report cut short anywhere is refused")
  func truncated() {
    let text = Self.report.text
    for length in 0..<text.count {
      #expect(throws: MemoryReportError.self, "the first \(length) characters") {
        try MemoryReport(text: String(text.prefix(length)))
      }
    }
  }

  @Test(
    "A line that is wrong is named",
    arguments: [
      ("queries 100", "queries", MemoryReportError.unreadable(line: 3, text: "queries")),
      ("queries 100", "queries 1e2", .unreadable(line: 3, text: "queries 1e2")),
      ("queries 100", "queries -1", .unreadable(line: 3, text: "queries -1")),
      ("queries 100", "queries  100", .unreadable(line: 3, text: "queries  100")),
      ("queries 100", "answers 100", .unreadable(line: 3, text: "answers 100")),
      ("queries 100", "entities 100", .repeated(line: 3, name: "entities")),
      (
        "queries 100", "queries 99999999999999999999",
        .unreadable(line: 3, text: "queries 99999999999999999999")
      ),
      ("queries 100", "queries 0", .missing(name: "queries")),
      ("queries 100\n", "", .missing(name: "queries")),
      ("tidemark-memory 3", "tidemark-memory 1", .notAReport(firstLine: "tidemark-memory 1")),
      ("end\n", "end\nend\n", .unreadable(line: 13, text: "end")),
    ])
  func wrong(part: String, replacement: String, error: MemoryReportError) throws {
    let text = Self.report.text
    let range = try #require(text.firstRange(of: part))
    #expect(throws: error) {
      try MemoryReport(text: text.replacingCharacters(in: range, with: replacement))
    }
  }

  @Test("A flood is not read")
  func flood() {
    let flood = String(repeating: "entities 1\n", count: 10_000)
    #expect(throws: MemoryReportError.tooLong(bytes: 110_000, limit: 4_096)) {
      try MemoryReport(text: flood)
    }
  }
}

extension String {
  fileprivate func replacingCharacters(
    in range: Range<String.Index>, with replacement: String
  ) -> String {
    String(self[..<range.lowerBound]) + replacement + String(self[range.upperBound...])
  }
}
