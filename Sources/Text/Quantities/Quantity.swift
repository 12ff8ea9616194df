/// A number with its unit, as scenario files and the command line write it.
///
///     300 s    200 ms    8 d        a duration: ns us ms s min h d
///     942 B    15 MB     64 KiB     a size: B kB MB GB TB KiB MiB GiB TiB
///     2 MB/s                        a bandwidth: a size per second
///     3/s      0.5/min              a rate: /s /min /h /d
///     1 %                           a share
///     10_000 entities   1 file      a count of what the key counts, singular or plural
///     0.9                           a plain number, only where nothing is counted (an exponent)
///
/// Digits may be grouped by `_`, and those before the point in threes by `,`: `12,000,000`. A space before the
/// unit is optional.
package struct Quantity: Sendable {
  /// Why a text begins with no number.
  package enum Fault: Error, Hashable, Sendable {
    /// No digit, or more than 18.
    case noNumber
    /// A comma that does not group three digits; the same text with a point instead.
    case comma(withPoint: String)
  }

  /// The digits as one whole number, sign included.
  package var mantissa: Int64
  /// How many of the digits are after the decimal point.
  package var decimals: Int
  /// The unit as written; empty if there is none.
  package var unit: String

  /// Reads a number of at most 18 digits, and the rest as its unit.
  package init(_ text: String) throws(Fault) {
    let isNegative = text.hasPrefix("-")
    let start = text.unicodeScalars.dropFirst(isNegative ? 1 : 0)
    var value: Int64 = 0
    var digits = 0
    var decimals = 0
    var hasPoint = false
    // Between two commas, or before the first.
    var groups = [0]
    var rest = start
    while let character = rest.first {
      if let digit = Self.digit(character) {
        digits += 1
        guard digits <= 18 else { throw .noNumber }
        value = value * 10 + digit
        if hasPoint { decimals += 1 } else { groups[groups.count - 1] += 1 }
      } else if character == ".", !hasPoint {
        hasPoint = true
      } else if character == ",", digits > 0 {
        // Behind the point nothing is grouped: this is no group of three.
        groups.append(hasPoint ? -1 : 0)
      } else if character != "_" || digits == 0 {
        break
      }
      rest.removeFirst()
    }
    guard digits > 0 else { throw .noNumber }
    if groups.count > 1 {
      let isGrouped =
        groups[0] <= 3 && start.first != "0" && groups.dropFirst().allSatisfy { $0 == 3 }
      guard isGrouped else {
        let number = String(start[..<rest.startIndex])
        throw .comma(withPoint: "\(isNegative ? "-" : "")\(Self.pointed(number))\(String(rest))")
      }
    }
    mantissa = isNegative ? -value : value
    self.decimals = decimals
    unit = String(rest.drop { $0 == " " })
  }

  /// A whole number without a unit; `nil` if the text is anything else.
  package static func wholeNumber(_ text: String) -> Int64? {
    guard let quantity = try? Quantity(text), quantity.unit.isEmpty else { return nil }
    return quantity.whole(times: 1)
  }

  /// The elements of a list, which commas separate; a comma that groups the digits of one of them would
  /// make two of it.
  ///
  /// - Throws: ``Fault/comma(withPoint:)`` if an element begins as only the rest of a number does: `000`.
  package static func elements(of list: String) throws(Fault) -> [String] {
    let elements = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for (former, element) in zip(elements, elements.dropFirst())
    where element.first == "0" && element.dropFirst().first?.isNumber == true
      && former.last?.isNumber == true
    {
      throw .comma(withPoint: former + element)
    }
    return elements
  }

  /// A number with commas as its author may have meant it: the last mark is the point, unless it
  /// occurs twice.
  private static func pointed(_ number: String) -> String {
    let isMark: (Character) -> Bool = { $0 == "," || $0 == "." }
    let digits = number.filter { !isMark($0) && $0 != "_" }
    guard let last = number.last(where: isMark), number.filter({ $0 == last }).count == 1 else {
      return digits
    }
    let decimals = number.reversed().prefix { $0 != last }.filter { $0 != "_" }.count
    return decimals == 0 ? digits : "\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
  }

  /// The number times a factor, if that is whole and fits.
  package func whole(times factor: Int64) -> Int64? {
    var divisor: Int64 = 1
    for _ in 0..<decimals { divisor *= 10 }
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: factor)
    guard !overflow, product % divisor == 0 else { return nil }
    return product / divisor
  }

  /// The number itself.
  package var real: Double {
    var divisor = 1.0
    for _ in 0..<decimals { divisor *= 10 }
    return Double(mantissa) / divisor
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int64? {
    scalar.value >= 48 && scalar.value <= 57 ? Int64(scalar.value) - 48 : nil
  }
}

/// A number is infinite or none.
package struct NotFinite: Error, Hashable, Sendable, CustomStringConvertible {
  /// The cause, without a place.
  package var description: String {
    "a value is infinite or not a number, which no format can carry"
  }
}

/// Numbers for programs: no locale, no rounding, no thousands separators.
package enum MachineNumber {
  /// The shortest text that reads back as the same bits, always with a point or an exponent.
  package static func text(_ value: Double) throws(NotFinite) -> String {
    guard value.isFinite else { throw NotFinite() }
    return value.description
  }

  /// The sizes of the numbers that are read, besides 0: with any two of them a sum of squares, a quotient and a
  /// percentage are finite.
  package static let sizes = 1e-100...1e100

  /// The number that was written, whole or real, and nothing else: no spaces, no hexadecimal, no `nan`, and
  /// none that is absurd.
  package static func value<Value>(
    _ text: String, whole: (Int64) -> Value, real: (Double) -> Value
  ) -> Value? {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"):
        true
      default: false
      }
    }
    guard isPlain, text.utf8.first != UInt8(ascii: "+") else { return nil }
    if let number = Int64(text) { return whole(number) }
    // A whole number that does not fit is an error, not an approximation.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "e") }) else {
      return nil
    }
    guard let number = Double(text), number == 0 || sizes.contains(number.magnitude) else {
      return nil
    }
    return real(number)
  }
}

/// Numbers of digits alone, read exactly and within bounds; inlinable, since traces read them by the
/// hundred million.
@usableFromInline package enum DecimalDigits {
  /// Whether a number follows a minus: then the only bound worth naming is 0.
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
