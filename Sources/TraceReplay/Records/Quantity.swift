import EvictionPolicies

/// Numbers of a record as text files write them, read exactly and within bounds.
enum Quantity {
  /// A whole number from 0, in digits.
  static func whole(_ text: some Collection<UInt8>, upTo limit: Int) -> Int? {
    guard !text.isEmpty else { return nil }
    var value = 0
    for byte in text {
      let digit = Int(byte) - Int(UInt8(ascii: "0"))
      guard (0..<10).contains(digit) else { return nil }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow, tens <= limit - digit else { return nil }
      value = tens + digit
    }
    return value
  }

  /// Nanoseconds of a decimal number of units, from 0; digits beyond a nanosecond must be zeros.
  static func nanoseconds(_ text: some Collection<UInt8>, unit: TimeUnit) -> Int64? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    guard let units = whole(parts[0], upTo: Int.max) else { return nil }
    let (nanoseconds, overflow) = units.multipliedReportingOverflow(by: unit.nanoseconds)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return Int64(nanoseconds) }
    var scale = unit.nanoseconds
    var fraction = 0
    for byte in parts[1] {
      guard let digit = whole(CollectionOfOne(byte), upTo: 9) else { return nil }
      guard scale > 1 || digit == 0 else { return nil }
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
