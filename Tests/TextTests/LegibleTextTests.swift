import Testing

@testable import Text

@Suite("Text in messages")
struct LegibleTextTests {
  @Test(
    "What moves a cursor, turns the direction or breaks a line is written by its number",
    arguments: [
      ("plain: é 𝄞 家 \"q\" \\", "plain: é 𝄞 家 \"q\" \\"), ("", ""),
      ("\u{1B}[2Jx", "\\u{1B}[2Jx"), ("a\nb\tc\r\n", "a\\u{A}b\\u{9}c\\u{D}\\u{A}"),
      ("\u{0}\u{7}\u{7F}\u{9B}", "\\u{0}\\u{7}\\u{7F}\\u{9B}"),
      ("a\u{202E}b\u{2066}\u{FEFF}", "a\\u{202E}b\\u{2066}\\u{FEFF}"),
      ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
    ])
  func legible(text: String, shown: String) {
    #expect(text.legible == shown)
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
