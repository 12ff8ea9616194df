import Testing

@testable import TraceReplay

@Suite("CSV")
struct CSVTests {
  private func read(_ text: String, limits: TraceLimits = .standard) throws -> [UInt32] {
    let format = try #require(TraceFormats.named("csv"))
    return try TraceReader.read(Array(text.utf8), format: format, name: "t", limits: limits).ids
  }

  private func fault(_ text: String, limits: TraceLimits = .standard) -> TraceError? {
    #expect(throws: TraceError.self) { try read(text, limits: limits) }
  }

  @Test(
    "the column of keys is found by name, in any case and place",
    arguments: [
      "key\na\nb\na\n", "time,ID\n1,a\n2,b\n3,a", "Object,size\r\na,1\r\nb,2\r\na,3\r\n",
      "\u{FEFF}key\na\nb\na\n", "\u{FEFF}\"key\",x\n\"a\",1\nb,\"2\n2\"\na,\n",
      "key\n\na\n\r\nb\na\n\n",
    ])
  func columns(text: String) throws {
    #expect(try read(text) == [0, 1, 0])
  }

  @Test("quoted fields hold commas, line ends and doubled quotes")
  func quotes() throws {
    #expect(try read("key\n\"a,b\"\n\"a\nb\"\n\"a\"\"b\"\n\"a,b\"\n") == [0, 1, 2, 0])
    #expect(try read("key\n\"a\"\na\n") == [0, 0])
  }

  @Test(
    "what is malformed is refused with line and fault",
    arguments: [
      ("key\na\"b\n", 2, .quoteInPlainField),
      ("key\n\"a\"b\n", 2, .textAfterQuote),
      ("key\n\na\n\"b\nc\n", 4, .openQuote),
      ("key\na\rb\n", 2, .loneCarriageReturn),
      ("key\na\r", 2, .loneCarriageReturn),
      ("key,x\na,1\nb\n", 3, .fieldCount(expected: 2, found: 1)),
      ("key\n\"x\ny\"\na,b\n", 4, .fieldCount(expected: 1, found: 2)),
      ("key,x\n,1\n", 2, .emptyKey),
      ("key\n\"\"\n", 2, .emptyKey),
      ("name,x\na,1\n", 1, .noColumn(named: ["key", "id", "object"])),
      ("key,id\na,1\n", 1, .severalColumns(["key", "id"])),
      ("op,key\nget,a\n", 1, .operationColumn("op")),
    ] as [(String, Int, CSVFault)])
  func malformed(text: String, line: Int, expected: CSVFault) {
    #expect(fault(text) == .csv(line: line, expected))
  }

  @Test("records and keys have a longest length")
  func limits() throws {
    let limits = TraceLimits(keyBytes: 3, recordBytes: 10)
    #expect(try read("key,note\nabc,1\n", limits: limits) == [0])
    #expect(fault("key,x\nabcd,1\n", limits: limits) == .csv(line: 2, .keyTooLong(limit: 3)))
    #expect(
      fault("key,x\na,\"bcdefghij\n", limits: limits)
        == .csv(line: 2, .recordTooLong(limit: 10)))
  }
}
