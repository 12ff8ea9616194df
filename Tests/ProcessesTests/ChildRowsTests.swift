import ResultModel
import Testing

@testable import Processes

@Suite("Rows of a child process")
struct ChildRowsTests {
  private static let rows = [
    ResultRow(
      scenario: "memory", policy: "lru", seed: 9, class: "key/10000",
      metric: .orderBytesPerEntity, value: .real(1.0 / 3), sampleCount: 10_000),
    ResultRow(
      scenario: "memory", policy: "", seed: 9, metric: .cacheTotalBytes,
      value: .integer(.max)),
    ResultRow(
      scenario: "s", policy: "p", seed: 9, metric: .predictedBytes, statistic: .peak,
      value: .integer(1), sampleCount: 2),
    ResultRow(scenario: "s", policy: "p", seed: 9, metric: .countErrorShare, value: nil),
  ]

  @Test("Written rows are read back, bit for bit")
  func roundTrip() throws {
    #expect(try ChildRows.rows(in: ChildRows.text(Self.rows), seed: 9) == Self.rows)
  }

  @Test("Rows cut short anywhere are refused")
  func truncated() {
    let text = ChildRows.text(Self.rows)
    for length in 0..<text.count {
      #expect(throws: ChildTextError.self, "the first \(length) characters") {
        try ChildRows.rows(in: String(text.prefix(length)), seed: 9)
      }
    }
  }

  @Test(
    "A line that is wrong is named",
    arguments: [
      "a\tb\tc\tunheard_of\tvalue\t1\t", "a\tb\tc\tcount_error_share\tvalue\tnanr\t",
      "a\tb\tc\tcount_error_share\tvalue\t1.5\t", "a\tb\tc\tcount_error_share\tvalue\t1",
      "a\tb\tc\tcount_error_share\tvalue\t1\tmany", "a\tb\tc\tcount_error_share\tpeak\t1\t", "",
    ])
  func wrong(line: String) {
    #expect(throws: ChildTextError.unreadable(line: 2, text: line)) {
      try ChildRows.rows(in: "tidemark-rows 3\n\(line)\nend\n", seed: 1)
    }
  }

  @Test("Rows of an executable of other sources are refused")
  func otherVersion() {
    #expect(
      throws: ChildTextError.wrongHeader(
        expected: "tidemark-rows 3", found: "tidemark-rows 2")
    ) {
      try ChildRows.rows(in: "tidemark-rows 2\nend\n", seed: 1)
    }
  }

  @Test("A flood is not read")
  func flood() {
    let bytes = ChildText.largest + 1
    #expect(throws: ChildTextError.tooLong(bytes: bytes, limit: ChildText.largest)) {
      try ChildRows.rows(in: String(repeating: "x", count: bytes), seed: 1)
    }
  }
}
