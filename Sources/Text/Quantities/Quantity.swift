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
  /// The reason why a text does not begin with a number.
  package enum Fault: Error, Hashable, Sendable {
    /// No digit, or more than 18.
    case noNumber
    /// A comma that does not group three digits; the same text with a point instead.
    case comma(withPoint: String)
  }

  /// The digits as an integer, including the sign.
  package var mantissa: Int64
  /// The number of digits after the decimal point.
  package var decimals: Int
  /// The unit in the input; empty if there is none.
  package var unit: String

  /// Parses a number of at most 18 digits, and the rest as its unit.
  package init(_ text: String) throws(Fault) {
    let isNegative = text.hasPrefix("-")
    let start = text.unicodeScalars.dropFirst(isNegative ? 1 : 0)
    var value: Int64 = 0
    var digits = 0
    var decimals = 0
    var hasPoint = false
    // The numbers of digits between commas, and before the first.
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
        // After the point no grouping is valid: this is not a group of three.
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

  /// Parses an integer without a unit; `nil` for any other text.
  package static func wholeNumber(_ text: String) -> Int64? {
    guard let quantity = try? Quantity(text), quantity.unit.isEmpty else { return nil }
    return quantity.whole(times: 1)
  }

  /// Splits a list at its commas, which are ambiguous if an element contains grouped digits.
  ///
  /// - Throws: ``Fault/comma(withPoint:)`` if an element begins like the rest of a number: `000`.
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

  /// Returns a likely correction of a number with commas: the last one is the point, unless it occurs twice.
  private static func pointed(_ number: String) -> String {
    let isMark: (Character) -> Bool = { $0 == "," || $0 == "." }
    let digits = number.filter { !isMark($0) && $0 != "_" }
    guard let last = number.last(where: isMark), number.filter({ $0 == last }).count == 1 else {
      return digits
    }
    let decimals = number.reversed().prefix { $0 != last }.filter { $0 != "_" }.count
    return decimals == 0 ? digits : "\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
  }

  /// Returns the number times a factor, if that is an integer without overflow.
  package func whole(times factor: Int64) -> Int64? {
    var divisor: Int64 = 1
    for _ in 0..<decimals { divisor *= 10 }
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: factor)
    guard !overflow, product % divisor == 0 else { return nil }
    return product / divisor
  }

  package var real: Double {
    var divisor = 1.0
    for _ in 0..<decimals { divisor *= 10 }
    return Double(mantissa) / divisor
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int64? {
    scalar.value >= 48 && scalar.value <= 57 ? Int64(scalar.value) - 48 : nil
  }
}

package struct NotFinite: Error, Hashable, Sendable, CustomStringConvertible {
  /// The cause, without a location.
  package var description: String {
    "a value is infinite or not a number, which no format can carry"
  }
}

/// Numbers for programs: without locale, rounding or thousands separators.
package enum MachineNumber {
  /// Returns the shortest text that parses to the same bits, always with a point or an exponent.
  package static func text(_ value: Double) throws(NotFinite) -> String {
    guard value.isFinite else { throw NotFinite() }
    return value.description
  }

  /// The range of accepted magnitudes, besides 0: for any two of them, sums of squares, quotients and
  /// percentages are finite.
  package static let sizes = 1e-100...1e100

  /// Parses an integer or a real number strictly: no spaces, no hexadecimal, no `nan`, and no magnitude out
  /// of range.
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
    // An integer that overflows is an error, not an approximation.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "e") }) else {
      return nil
    }
    guard let number = Double(text), number == 0 || sizes.contains(number.magnitude) else {
      return nil
    }
    return real(number)
  }
}

/// Exact parsers of decimal digits within bounds; inlinable, since traces have hundreds of millions of
/// numbers.
@usableFromInline package enum DecimalDigits {
  /// Returns whether a number follows a minus sign: then only the bound 0 is relevant.
  package static func isNegative(_ text: Span<UInt8>) -> Bool {
    text.count > 1 && text[0] == UInt8(ascii: "-")
      && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[1])
  }

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

  /// Parses a canonical integer of 64 bits, without leading zeros.
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

  /// Parses an unsigned decimal number, times a power of ten; digits beyond an integer must be zeros.
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
