import Testing

@testable import Text

@Suite("Files of CSV")
struct CSVReaderTests {
  private func read(_ bytes: [UInt8], limits: CSVReader.Limits = .standard) throws -> [[String]] {
    var reader = try CSVReader(bytes, limits: limits)
    var rows: [[String]] = []
    while let record = try reader.next() { rows.append(record.cells) }
    return rows
  }

  @Test("What the writer wrote is read back, whatever it is, and no formula is left in it")
  func roundTrip() throws {
    let texts = ["", "a", "=1", "'", "-2", "\"q\"", "a,b", "x\r\ny", "\t", "é", "@"]
    var writer = CSVWriter(columns: ["text", "number"])
    for text in texts {
      writer.text(text)
      writer.plain("-1")
      writer.endLine()
    }
    let rows = try read(writer.bytes)
    #expect(rows.first == ["text", "number"])
    #expect(rows.dropFirst().map { CSVReader.unguarded($0[0]) } == texts)
    #expect(rows.dropFirst().allSatisfy { $0[1] == "-1" })
    let firsts = rows.dropFirst().compactMap(\.[0].first)
    #expect(firsts.allSatisfy { !"=+-@\t".contains($0) })
  }

  @Test("Limits name themselves")
  func limits() throws {
    let limits = CSVReader.Limits(fileBytes: 20, cellBytes: 4, rows: 2)
    #expect(try read(Array("1234,1\n1,2\n".utf8), limits: limits).count == 2)
    #expect(throws: CSVError(line: 1, cause: .syntax(.fieldTooLong(limit: 4)))) {
      try read(Array("12345\n".utf8), limits: limits)
    }
    #expect(throws: CSVError(line: 3, cause: .tooManyRows(limit: 2))) {
      try read(Array("1\n2\n3\n".utf8), limits: limits)
    }
    #expect(throws: CSVError(line: 1, cause: .fileTooLong(limit: 20))) {
      try read(Array(String(repeating: "1\n", count: 11).utf8), limits: limits)
    }
  }

  @Test("A file that was cut short, or is no text, is refused at its line")
  func broken() throws {
    for cut in ["a\nb", "a\nb\r", "a\n\"b\""] {
      #expect(throws: CSVError(line: 2, cause: .missingFinalNewline)) { try read(Array(cut.utf8)) }
    }
    #expect(throws: CSVError(line: 2, cause: .syntax(.openQuote))) {
      try read(Array("a\n\"b".utf8))
    }
    // Where the cell ends.
    #expect(throws: CSVError(line: 4, cause: .notUTF8)) {
      try read(Array("a\n\"b\n".utf8) + [0xFF] + Array("\n\"\n".utf8))
    }
  }
}
