import CacheModel
import CacheTestSupport
import Testing

@testable import Text

@Suite("Text in messages")
struct LegibleTextTests {
  @Test(
    "Characters that move a cursor, turn the direction or break a line are written by number",
    arguments: [
      ("plain: é 𝄞 家 \"q\" \\", "plain: é 𝄞 家 \"q\" \\"), ("", ""),
      ("\u{1B}[2Jx", "\\u{1B}[2Jx"), ("a\nb\tc\r\n", "a\\u{A}b\\u{9}c\\u{D}\\u{A}"),
      ("\u{0}\u{7}\u{7F}\u{9B}", "\\u{0}\\u{7}\\u{7F}\\u{9B}"),
      ("a\u{202E}b\u{2066}\u{FEFF}", "a\\u{202E}b\\u{2066}\\u{FEFF}"),
      ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
      (
        "a\u{34F}\u{115F}\u{3164}\u{FE0F}\u{E0100}",
        "a\\u{34F}\\u{115F}\\u{3164}\\u{FE0F}\\u{E0100}"
      ),
    ])
  func legible(text: String, shown: String) {
    #expect(text.legible == shown)
  }

  @Test("Nothing that has no shape, or that changes the direction of writing, is left")
  func everyScalar() {
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      let properties = scalar.properties
      let isShown =
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: !properties.isDefaultIgnorableCodePoint
        }
      guard (text.legible == text) != isShown else { continue }
      Issue.record("U+\(String(value, radix: 16)) is \(isShown ? "not " : "")shown")
    }
    // The marks of direction (Unicode Standard Annex 9), and characters without width, one by one.
    let marks: [UInt32] =
      [0xAD, 0x61C, 0x180E, 0xFEFF] + Array(0x200B...0x200F) + Array(0x202A...0x202E)
      + Array(0x2060...0x206F) + Array(0xFFF9...0xFFFB) + Array(0xE0001...0xE007F)
    for mark in marks.compactMap(Unicode.Scalar.init) {
      #expect(
        "a\(mark)b".legible == "a\\u{\(String(mark.value, radix: 16, uppercase: true))}b")
    }
  }

  @Test("The excerpt of any text is one line in one direction, and distinct")
  func random() {
    var random = RandomSource(seed: 2)
    let texts = RandomText.distinct(300, hasNUL: true, &random).filter {
      $0.unicodeScalars.count < 60
    }
    for text in texts {
      #expect(
        text.excerpt.unicodeScalars.allSatisfy {
          $0.properties.generalCategory != .format && $0.value >= 0x20
        })
    }
    #expect(Set(texts.map { $0.excerpt.bytes }).count == texts.count)
  }

  @Test("An excerpt is the beginning, of however few characters the text is made")
  func excerpt() {
    let sixty = String(repeating: "a", count: 60)
    #expect(sixty.excerpt == sixty)
    #expect((sixty + "b").excerpt == sixty + "…")
    #expect("\u{1B}".excerpt == "\\u{1B}")
    // One character of a thousand scalars.
    let tower = "e" + String(repeating: "\u{301}", count: 1_000)
    #expect(tower.excerpt.unicodeScalars.count == 61)
  }
}

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
