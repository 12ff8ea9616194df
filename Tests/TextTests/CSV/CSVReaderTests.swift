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

  @Test("Written text is read back, whatever it is, and no formula is left in it")
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

  @Test("A file that was cut short, or is not text, is refused at its line")
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

@Suite("Records of CSV")
struct CSVRecordParserTests {
  private struct Record: Hashable {
    var line: Int
    var fields: [String]
  }

  /// The records of a text that arrives in pieces of this many bytes.
  private func records(
    _ text: String, _ form: CSVRecordParser.Form, pieces: Int, recordLimit: Int = .max
  ) throws(CSVFault) -> [Record] {
    let bytes = Array(text.utf8)
    var parser = CSVRecordParser(form, recordLimit: recordLimit, fieldLimit: 8)
    var found: [Record] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
      var place = 0
      while try parser.next(piece.span, from: &place) {
        found.append(Record(line: parser.recordLine, fields: parser.texts(in: piece.span)))
      }
      #expect(place == piece.count)
    }
    let none: [UInt8] = []
    if try parser.finish() {
      found.append(Record(line: parser.recordLine, fields: parser.texts(in: none.span)))
    }
    return found
  }

  private static let text =
    "a,b\n\n1,\r\n\"x,\"\"y\"\"\n\",2\r\n\r\n,\n3,\"\"\n44,é"

  @Test("Records are the same in pieces of any length, with or without quotes", arguments: 1...30)
  func pieces(length: Int) throws {
    #expect(
      try records(Self.text, .lenient, pieces: length) == [
        Record(line: 1, fields: ["a", "b"]), Record(line: 3, fields: ["1", ""]),
        Record(line: 4, fields: ["x,\"y\"\n", "2"]), Record(line: 7, fields: ["", ""]),
        Record(line: 8, fields: ["3", ""]), Record(line: 9, fields: ["44", "é"]),
      ])
    #expect(
      try records("\u{FEFF}a\n\n\r\nb\n", .strict, pieces: length) == [
        Record(line: 1, fields: ["\u{FEFF}a"]), Record(line: 2, fields: [""]),
        Record(line: 3, fields: [""]), Record(line: 4, fields: ["b"]),
      ])
  }

  @Test("Wide letters begin with a byte of a mark, and are content", arguments: 1...12)
  func wideLetters(length: Int) throws {
    for form in [CSVRecordParser.Form.lenient, .strict] {
      #expect(
        try records("ｋｅ,é\n", form, pieces: length) == [Record(line: 1, fields: ["ｋｅ", "é"])])
    }
  }

  @Test(
    "Malformed or too long text is refused in pieces of any length",
    arguments: [
      ("abc\na\"b\n", .quoteInPlainField), ("abc\n\"a\"b\n", .textAfterQuote),
      ("abc\n1,\"b\n", .openQuote), ("abc\na\rb\n", .loneCarriageReturn),
      ("abc\na,b\r", .loneCarriageReturn), ("abc\n123456789\n", .fieldTooLong(limit: 8)),
      ("abc\n\"123456789\n", .fieldTooLong(limit: 8)),
      ("abc\n1,2,3,4,5,6,7,8,9\n", .recordTooLong(limit: 16)),
    ] as [(String, CSVFault)])
  func malformed(text: String, fault: CSVFault) throws {
    for length in 1...text.utf8.count {
      #expect(throws: fault) {
        try records(text, .lenient, pieces: length, recordLimit: 16)
      }
    }
  }
}
