import Testing

@testable import Text

@Suite("Quantities of the command line")
struct QuantityTests {
  @Test(
    "are written as in scenario files",
    arguments: [
      ("300s", 300_000_000_000), ("0.5s", 500_000_000), ("1.5 min", 90_000_000_000),
      ("1_000us", 1_000_000), ("2,000 ns", 2_000), ("1d", 86_400_000_000_000),
    ])
  func durations(text: String, nanoseconds: Int64) throws {
    #expect(try Dimension.duration.whole(text, of: "--x", in: 1...(.max)) == nanoseconds)
  }

  @Test("Sizes too")
  func sizes() throws {
    #expect(try Dimension.size.whole("1.5GiB", of: "--x", in: 1...(.max)) == 3 << 29)
    #expect(try Dimension.size.whole("2 TB", of: "--x", in: 1...(.max)) == 2_000_000_000_000)
    #expect(try Dimension.size.whole("1TiB", of: "--x", in: 1...(.max)) == 1 << 40)
  }

  @Test(
    "A refusal names the option, the mistake and a remedy",
    arguments: [
      ("5", "--x: `5` has no unit; write for example `5s`; units: `ns`, `us`"),
      ("-5s", "--x: -5 s is negative; choose from 1 ns to 1 d"),
      ("-0.5s", "--x: -500 ms is negative; choose from 1 ns to 1 d"),
      ("0s", "--x: 0 s is out of range; choose from 1 ns to 1 d"),
      ("2d", "--x: 2 d is out of range; choose from 1 ns to 1 d"),
      ("0.5ns", "--x: this duration is not a whole number of the smallest unit, or too large;"),
      ("5 MB", "--x: `MB` is not a unit of a duration; write for example `5s`"),
      ("5 days", "--x: `days` is not a unit of a duration; did you mean `5d`?"),
      ("5 Min", "--x: `Min` is not a unit of a duration; did you mean `5min`?"),
      ("soon", "--x: `soon` is not a duration; write for example `300s`"),
      ("", "--x: `` is not a duration; write for example `300s`"),
      ("\u{1B}[2J", "--x: `\\u{1B}[2J` is not a duration"),
    ])
  func refused(text: String, message: String) throws {
    let error = try #require(throws: QuantityError.self) {
      _ = try Dimension.duration.whole(text, of: "--x", in: 1...86_400_000_000_000)
    }
    #expect(error.description.hasPrefix(message), "\(error)")
  }

  @Test(
    "A comma groups three digits before the point",
    arguments: [
      ("1,000 ns", 1_000), ("12,000,000ns", 12_000_000), ("999,999us", 999_999_000),
      ("1,000.5 us", 1_000_500), ("1,000_000us", nil), ("1_000,000us", nil),
    ])
  func grouped(text: String, nanoseconds: Int64?) throws {
    let value = try? Dimension.duration.whole(text, of: "--x", in: 1...(.max))
    #expect(value == nanoseconds)
  }

  @Test(
    "Any other comma is refused, with the same number as a point would write it",
    arguments: [
      ("0,5 s", "0.5 s"), ("2,5s", "2.5s"), ("0,500 s", "0.500 s"), ("12,34 s", "12.34 s"),
      ("1000,5 s", "1000.5 s"), ("1.000,5 s", "1000.5 s"), ("1,00,000 s", "100000 s"),
      ("1,5,5 s", "155 s"), ("1,000,5 s", "10005 s"), ("12,34.5 s", "1234.5 s"), ("5, s", "5 s"),
      ("-0,5 s", "-0.5 s"), ("1234,000 s", "1234.000 s"),
      ("1,,000 s", "1000 s"),
    ])
  func comma(text: String, meant: String) throws {
    let error = try #require(throws: QuantityError.self) {
      _ = try Dimension.duration.whole(text, of: "--x", in: 1...(.max))
    }
    #expect(
      error.description
        == "--x: `\(text)` has a comma that does not group three digits; write `\(meant)`")
    // The advised spelling is accepted.
    #expect(throws: Never.self) { try Quantity(meant) }
  }

  @Test(
    "Any accepted mix of digits, commas and points has one meaning")
  func everyShortNumber() {
    let letters = Array("01,.")
    for length in 1...7 {
      for code in 0..<(0..<length).reduce(1, { product, _ in product * letters.count }) {
        let text = String(
          (0..<length).map { letters[(code >> (2 * $0)) & 3] })
        guard let quantity = try? Quantity(text), quantity.unit.isEmpty, text.contains(",") else {
          continue
        }
        // By the form alone, in other words than the reader's.
        #expect(text.wholeMatch(of: /1[01]{0,2}(,[01]{3})+(\.[01]*)?/) != nil, "\(text)")
        let plain = text.replacing(",", with: "")
        #expect(quantity.real == Double(plain + (plain.contains(".") ? "0" : "")), "\(text)")
      }
    }
  }

  @Test("A whole number without a unit may be grouped; anything else is none")
  func wholeNumbers() {
    #expect(
      ["7", "-12", "1,000", "9_999", "0"].map(Quantity.wholeNumber) == [7, -12, 1_000, 9_999, 0])
    for text in ["", "1,5", "1.5", "5 s", "x", "1,0000"] {
      #expect(Quantity.wholeNumber(text) == nil, "\(text)")
    }
  }

  @Test(
    "The commas of a list part its elements; one that begins as only the rest of a number does is refused"
  )
  func lists() throws {
    #expect(try Quantity.elements(of: "100,1%,64MiB") == ["100", "1%", "64MiB"])
    #expect(try Quantity.elements(of: "1,0,2") == ["1", "0", "2"])
    #expect(try Quantity.elements(of: "lru,0x,s4-fifo,07") == ["lru", "0x", "s4-fifo", "07"])
    #expect(throws: Quantity.Fault.comma(withPoint: "1000")) { try Quantity.elements(of: "1,000") }
    #expect(throws: Quantity.Fault.comma(withPoint: "205")) { try Quantity.elements(of: "1,2,05") }
  }
}

@Suite("Numbers for programs")
struct MachineNumberTests {
  @Test(
    "A number for a spreadsheet has six digits, and all of them before the point",
    arguments: [
      (0.466_980_339, "0.46698"), (0.000_504_116_95, "0.000504117"), (-12.345_678_9, "-12.3457"),
      (99_999.96, "100000"), (37_342_138.774, "37342139"), (7, "7"), (0, "0"),
    ])
  func sixDigits(value: Double, text: String) {
    #expect(MachineNumber.sixDigits(value) == text)
  }

  private func read(_ text: String) -> Double? {
    MachineNumber.value(text, whole: { Double($0) }, real: { $0 })
  }

  @Test("A number written by a program is read, whole or real")
  func written() throws {
    for value in [0, 0.1, -2.5, 1e100, 1e-100, 123_456_789.125, .pi] {
      #expect(read(try MachineNumber.text(value)) == value)
    }
    #expect(read("9223372036854775807") == Double(Int64.max))
  }

  @Test(
    "A number that arithmetic cannot use is refused",
    arguments: [
      "1e308", "-1e308", "1e400", "1.5e101", "1e-101", "5e-324", "nan", "inf", "-inf", "infinity",
      "0x10", "1e", "", "+1", "1 ", "1,000", "9223372036854775808",
    ])
  func absurd(text: String) {
    #expect(read(text) == nil)
  }

  @Test("With the largest and the smallest that are read, squares and percentages are finite")
  func bounds() {
    let (least, most) = (MachineNumber.sizes.lowerBound, MachineNumber.sizes.upperBound)
    #expect((most * most * 1e6).isFinite && (most / least * 100).isFinite && least * least > 0)
  }
}

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
