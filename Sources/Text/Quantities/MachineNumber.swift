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
