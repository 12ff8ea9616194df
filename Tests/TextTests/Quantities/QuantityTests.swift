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
    "What is refused says the option, what is wrong, and what would be right",
    arguments: [
      ("5", "--x: `5` has no unit; write for example `300s`; units: `ns`, `us`"),
      ("-5s", "--x: -5 s is negative; choose from 1 ns to 1 d"),
      ("-0.5s", "--x: -500 ms is negative; choose from 1 ns to 1 d"),
      ("0s", "--x: 0 s is out of range; choose from 1 ns to 1 d"),
      ("2d", "--x: 2 d is out of range; choose from 1 ns to 1 d"),
      ("0.5ns", "--x: this duration is not a whole number of the smallest unit, or too large;"),
      ("5 MB", "--x: `MB` is not a unit of a duration; write for example `300s`"),
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
}
