import Testing

@testable import Text

@Suite("Numbers of digits")
struct DecimalDigitsTests {
  @Test("A whole number is read up to its limit", arguments: [("0", 0), ("007", 7), ("99", 99)])
  func whole(text: String, value: Int) {
    #expect(DecimalDigits.whole(Array(text.utf8).span, upTo: 99) == value)
    for other in ["", "100", "-1", "1 ", "99999999999999999999"] {
      #expect(DecimalDigits.whole(Array(other.utf8).span, upTo: 99) == nil)
    }
  }

  @Test("There is one way to write a canonical number")
  func canonical() {
    for value in [0, 7, 10, 9_999_999_999_999_999_999, UInt64.max] {
      #expect(DecimalDigits.canonical(Array("\(value)".utf8).span) == value)
    }
    for other in ["", "00", "01", "+1", "18446744073709551616", "99999999999999999999", "1a"] {
      #expect(DecimalDigits.canonical(Array(other.utf8).span) == nil)
    }
  }

  @Test("Decimals are exact or refused")
  func scaled() {
    func read(_ text: String) -> Int? { DecimalDigits.scaled(Array(text.utf8).span, by: 1_000) }
    #expect(["1", "0.5", "1.002", "1.0020"].map(read) == [1_000, 500, 1_002, 1_002])
    #expect(
      ["", ".", "1.", ".5", "1.0002", "1e3", "-1", "1..2"].map(read).allSatisfy { $0 == nil })
    #expect(read("9223372036854775.807") == Int.max)
    #expect(read("9223372036854775.808") == nil)
  }
}
