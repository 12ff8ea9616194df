/// Numbers of a record as text files write them, read exactly and within bounds.
enum RecordNumber {
  /// Whether a number follows a minus: then no bound needs to be told but 0.
  static func isNegative(_ text: Span<UInt8>) -> Bool {
    text.count > 1 && text[0] == UInt8(ascii: "-")
      && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[1])
  }

  /// A whole number from 0, in digits.
  static func whole(_ text: Span<UInt8>, upTo limit: Int) -> Int? {
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

  /// Nanoseconds of a decimal number of units, from 0; digits beyond a nanosecond must be zeros.
  static func nanoseconds(_ text: Span<UInt8>, unit: TimeUnit) -> Int64? {
    var point = 0
    while point < text.count, text[point] != UInt8(ascii: ".") { point += 1 }
    guard let units = whole(text.extracting(0..<point), upTo: Int.max) else { return nil }
    let (nanoseconds, overflow) = units.multipliedReportingOverflow(by: unit.nanoseconds)
    guard !overflow else { return nil }
    guard point < text.count else { return Int64(nanoseconds) }
    guard point + 1 < text.count else { return nil }
    var scale = unit.nanoseconds
    var fraction = 0
    for index in point + 1..<text.count {
      let digit = Int(text[index] &- UInt8(ascii: "0"))
      guard digit < 10, scale > 1 || digit == 0 else { return nil }
      scale /= 10
      fraction += digit * scale
    }
    let (sum, isTooMuch) = nanoseconds.addingReportingOverflow(fraction)
    return isTooMuch ? nil : Int64(sum)
  }
}

/// The unit of times and lifetimes in a text file.
package enum TimeUnit: String, Hashable, Sendable, CaseIterable {
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  case nanoseconds = "ns"

  package var nanoseconds: Int {
    switch self {
    case .seconds: 1_000_000_000
    case .milliseconds: 1_000_000
    case .microseconds: 1_000
    case .nanoseconds: 1
    }
  }
}
