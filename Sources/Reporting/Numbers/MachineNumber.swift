import Metrics

/// Numbers for programs: no locale, no rounding, no thousands separators.
enum MachineNumber {
  /// The shortest text that reads back as the same bits; whole numbers have no point, doubles always
  /// have a point or an exponent.
  ///
  /// - Throws: `ExportError.notFinite` for infinities and NaN, which no format can carry.
  static func text(_ value: MetricValue) throws(ExportError) -> String {
    switch value {
    case .integer(let value): return String(value)
    case .real(let value): return try text(value)
    }
  }

  static func text(_ value: Double) throws(ExportError) -> String {
    guard value.isFinite else { throw .notFinite }
    return value.description
  }

  /// The value that `text(_:)` wrote, and nothing else: no spaces, no hexadecimal, no `nan`.
  static func value(_ text: String) -> MetricValue? {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"):
        true
      default: false
      }
    }
    guard isPlain, text.utf8.first != UInt8(ascii: "+") else { return nil }
    if let whole = Int64(text) { return .integer(whole) }
    // A whole number that does not fit is an error, not an approximation.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "e") }) else {
      return nil
    }
    guard let real = Double(text), real.isFinite else { return nil }
    return .real(real)
  }
}
