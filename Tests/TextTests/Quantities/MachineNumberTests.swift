import Testing

@testable import Text

@Suite("Numbers for programs")
struct MachineNumberTests {
  private func read(_ text: String) -> Double? {
    MachineNumber.value(text, whole: { Double($0) }, real: { $0 })
  }

  @Test("What a program writes is read, whole or real")
  func written() throws {
    for value in [0, 0.1, -2.5, 1e100, 1e-100, 123_456_789.125, .pi] {
      #expect(read(try MachineNumber.text(value)) == value)
    }
    #expect(read("9223372036854775807") == Double(Int64.max))
  }

  @Test(
    "What no arithmetic could go on with is no number",
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
