/// The one way to write an unsigned integer in digits.
enum CanonicalDecimal {
  /// The value of digits without leading zeros that fits into 64 bits.
  static func value(of text: Span<UInt8>) -> UInt64? {
    guard (1...20).contains(text.count), text.count == 1 || text[0] != UInt8(ascii: "0") else {
      return nil
    }
    var value: UInt64 = 0
    for index in 0..<min(text.count, 19) {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ UInt64(digit)
    }
    guard text.count == 20 else { return value }
    let digit = text[19] &- UInt8(ascii: "0")
    guard digit < 10 else { return nil }
    let (tens, isTooMuch) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflow) = tens.addingReportingOverflow(UInt64(digit))
    return isTooMuch || overflow ? nil : sum
  }
}
