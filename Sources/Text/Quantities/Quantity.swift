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
/// Digits may be grouped by `_` or `,`. A space before the unit is optional.
package struct Quantity: Sendable {
  /// The digits as one whole number, sign included.
  package var mantissa: Int64
  /// How many of the digits stand behind the decimal point.
  package var decimals: Int
  /// The unit as written; empty if there is none.
  package var unit: String

  /// Reads a number and the rest as its unit; `nil` if no number of at most 18 digits begins the text.
  package init?(_ text: String) {
    var digits = 0
    var value: Int64 = 0
    var decimals = 0
    var isNegative = false
    var hasPoint = false
    var rest = Substring(text)
    if rest.first == "-" {
      isNegative = true
      rest.removeFirst()
    }
    while let character = rest.unicodeScalars.first {
      if let digit = Self.digit(character) {
        digits += 1
        guard digits <= 18 else { return nil }
        value = value * 10 + digit
        decimals += hasPoint ? 1 : 0
      } else if character == ".", !hasPoint {
        hasPoint = true
      } else if character != "_" && character != "," || digits == 0 {
        break
      }
      rest.unicodeScalars.removeFirst()
    }
    guard digits > 0 else { return nil }
    mantissa = isNegative ? -value : value
    self.decimals = decimals
    unit = String(rest.drop { $0 == " " })
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
