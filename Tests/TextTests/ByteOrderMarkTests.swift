import Testing

@testable import Text

@Suite("Byte order marks")
struct ByteOrderMarkTests {
  @Test(
    "UTF-8's mark is dropped, and nothing else",
    arguments: [
      ([0xEF, 0xBB, 0xBF], 3), ([0xEF, 0xBB, 0xBF, 0x61, 0x62], 3), ([], 0), ([0xEF], 0),
      ([0xEF, 0xBB], 0), ([0x61, 0xEF, 0xBB, 0xBF], 0), ([0xFE], 0), ([0xFF], 0),
      ([0, 0, 0xFE], 0),
      ([0x61, 0xFF, 0xFE], 0), (Array("ｋｅｙ,size".utf8), 0), (Array("\u{FFFF}".utf8), 0),
    ] as [([UInt8], Int)])
  func dropped(bytes: [UInt8], length: Int) throws {
    #expect(try ByteOrderMark.length(in: bytes) == length)
  }

  @Test(
    "The mark of another encoding names it, and what converts it",
    arguments: [
      ([0xFF, 0xFE, 0x61, 0], "UTF-16"), ([0xFE, 0xFF, 0, 0x61], "UTF-16"),
      ([0xFF, 0xFE], "UTF-16"),
      ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"),
    ] as [([UInt8], String)])
  func refused(bytes: [UInt8], encoding: String) throws {
    let error = try #require(throws: ForeignEncoding.self) {
      try ByteOrderMark.length(in: bytes)
    }
    #expect(
      error.description
        == "its text is \(encoding), and UTF-8 is read; save it as UTF-8, or convert it: "
        + "iconv -f \(encoding) -t UTF-8")
  }

  @Test("Of all four bytes, only those five beginnings are marks")
  func everyBeginning() {
    let special: [UInt8] = [0, 0x61, 0xBB, 0xBD, 0xBF, 0xEF, 0xFE, 0xFF]
    for code in 0..<4_096 {
      let bytes = (0..<4).map { special[(code >> (3 * $0)) & 7] }
      let words = bytes.map { String($0, radix: 16) }.joined(separator: " ")
      let expected: ByteOrderMark? =
        words.hasPrefix("ef bb bf")
        ? .utf8
        : words == "ff fe 0 0" || words == "0 0 fe ff"
          ? .utf32 : words.hasPrefix("ff fe") || words.hasPrefix("fe ff") ? .utf16 : nil
      #expect(ByteOrderMark(head: bytes) == expected, "\(words)")
    }
  }
}
