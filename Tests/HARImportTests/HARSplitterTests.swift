import HARImport
import Testing

@Suite("A HAR file is cut into entries while it streams by")
struct HARSplitterTests {
  private static func parts(
    _ text: String, pieces: Int = 1 << 20
  ) throws -> [HARSplitter.Part] {
    var (splitter, parts) = (HARSplitter(), [HARSplitter.Part]())
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      try splitter.consume(Array(bytes[start..<min(start + pieces, bytes.count)])) {
        parts.append($0)
      }
    }
    try splitter.finish()
    return parts
  }

  private static func entry(_ text: String) -> HARSplitter.Part {
    .entry(Array(text.utf8), isCut: false)
  }

  @Test("Wherever the file is cut", arguments: [1, 2, 3, 7, 1_000])
  func pieces(size: Int) throws {
    let text = #"""
      { "log" : { "note":"}]{[", "entries" : [ {"a":"\"}]","b":[1,{"c":{}}]} , {"d":"\\"},{}],
      "pages":[{"id":"x"}] , "comment":{"entries":[{"no":1}]} }, "entries":[{"no":2}] }
      """#
    #expect(
      try Self.parts(text, pieces: size) == [
        Self.entry(#"{"a":"\"}]","b":[1,{"c":{}}]}"#), Self.entry(#"{"d":"\\"}"#),
        Self.entry("{}"), .pages(Array(#"[{"id":"x"}]"#.utf8)),
      ])
  }

  @Test("Pages may come before the entries, or be missing")
  func pages() throws {
    #expect(
      try Self.parts(#"{"log":{"pages":[],"entries":[{}]}}"#)
        == [.pages(Array("[]".utf8)), Self.entry("{}")])
    #expect(try Self.parts(#"{"log":{"entries":[]}}"#) == [])
  }

  @Test(
    "A text that is too long is left out, and the entry is marked", arguments: [1_000, 1 << 20])
  func longText(piece: Int) throws {
    let long = String(repeating: "x", count: HARSplitter.maximumTextBytes + 1)
    let parts = try Self.parts(
      #"{"log":{"entries":[{"a":"\#(long)","b":"c"},{"d":1}]}}"#, pieces: piece)
    #expect(
      parts == [.entry(Array(#"{"a":null,"b":"c"}"#.utf8), isCut: true), Self.entry(#"{"d":1}"#)])
  }

  @Test(
    "A file that is not HAR, or is half of one, is refused",
    arguments: [
      ("", "this is not a HAR file"), ("[]", "this is not a HAR file"),
      ("<html>", "this is not a HAR file"), (#"{"log":{}}"#, "this is not a HAR file"),
      ("}", "this is not a HAR file"), (#"{"log":{"entries":[{"a":1}"#, "the file is cut off"),
      (#"{"log":{"entries":[{"a":1},{"b"#, "the file is cut off in entry 2"),
      (#"{"log":{"entries":[],"entries":[]}}"#, "`log.entries` occurs twice"),
      (#"{"log":{"pages":[],"pages":[],"entries":[]}}"#, "`log.pages` occurs twice"),
      (#"{"log":{"entries":[]}} {}"#, "this is not a HAR file"),
    ])
  func damaged(text: String, cause: String) throws {
    let error = #expect(throws: HARImportError.self) { try Self.parts(text, pieces: 5) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(cause))
  }

  @Test("Nesting and sizes are bounded")
  func bounds() throws {
    let deep = String(repeating: "[", count: 300)
    let error = #expect(throws: HARImportError.self) {
      try Self.parts(#"{"log":{"entries":[{"a":\#(deep)"#)
    }
    #expect(error?.cause == "the nesting is deeper than 200")
    #expect(error?.entry == 1)
    let wide = String(repeating: "[],", count: HARSplitter.maximumEntryBytes / 3)
    let large = #expect(throws: HARImportError.self) {
      try Self.parts(#"{"log":{"entries":[{"a":[\#(wide)[]]}]}}"#)
    }
    #expect(large?.cause.hasPrefix("it is larger than") == true)
  }
}
