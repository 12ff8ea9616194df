/// Numbers of digits alone, read exactly and within bounds; inlinable, since traces read them by the
/// hundred million.
@usableFromInline package enum DecimalDigits {
  /// Whether a number follows a minus: then no bound needs to be told but 0.
  package static func isNegative(_ text: Span<UInt8>) -> Bool {
    text.count > 1 && text[0] == UInt8(ascii: "-")
      && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[1])
  }

  /// A whole number from 0, in digits.
  @inlinable package static func whole(_ text: Span<UInt8>, upTo limit: Int) -> Int? {
    guard !text.isEmpty else { return nil }
    var value = 0
    for index in text.indices {
      let digit = Int(text[index] &- UInt8(ascii: "0"))
      guard digit < 10 else { return nil }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow, tens <= limit - digit else { return nil }
      value = tens + digit
    }
    return value
  }

  /// A whole number as there is one way to write it: without leading zeros, of 64 bits.
  @inlinable package static func canonical(_ text: Span<UInt8>) -> UInt64? {
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

  /// A decimal number from 0, times a power of ten; digits beyond the whole must be zeros.
  @inlinable package static func scaled(_ text: Span<UInt8>, by unit: Int) -> Int? {
    var point = 0
    while point < text.count, text[point] != UInt8(ascii: ".") { point += 1 }
    guard let units = whole(text.extracting(0..<point), upTo: Int.max) else { return nil }
    let (product, overflow) = units.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    guard point < text.count else { return product }
    guard point + 1 < text.count else { return nil }
    var scale = unit
    var fraction = 0
    for index in point + 1..<text.count {
      let digit = Int(text[index] &- UInt8(ascii: "0"))
      guard digit < 10, scale > 1 || digit == 0 else { return nil }
      scale /= 10
      fraction += digit * scale
    }
    let (sum, isTooMuch) = product.addingReportingOverflow(fraction)
    return isTooMuch ? nil : sum
  }
}
