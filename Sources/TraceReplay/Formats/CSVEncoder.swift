import EvictionPolicies
import Text

/// Writes a CSV file with the columns that a trace has; times and lifetimes in seconds.
struct CSVEncoder: TraceEncoder {
  var columns: TraceColumns

  var header: [UInt8] {
    var names = ["key"]
    if columns.contains(.operations) { names.append("operation") }
    if columns.contains(.weights) { names.append("size") }
    if columns.contains(.lifetimes) { names.append("ttl") }
    if columns.contains(.times) { names.append("time") }
    return Array((names.joined(separator: ",") + "\n").utf8)
  }

  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    try record.requireNothingBesides(columns)
    switch key {
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    case .text(let text): Self.append(text, to: &bytes)
    }
    let comma = UInt8(ascii: ",")
    if columns.contains(.operations) {
      bytes.append(comma)
      bytes.append(contentsOf: "\(record.operation)".utf8)
    }
    if columns.contains(.weights) {
      bytes.append(comma)
      if record.weight > 0 { bytes.append(contentsOf: String(record.weight).utf8) }
    }
    if columns.contains(.lifetimes) {
      bytes.append(comma)
      if record.lifetime > 0 { Self.append(seconds: record.lifetime, to: &bytes) }
    }
    if columns.contains(.times) {
      bytes.append(comma)
      Self.append(seconds: record.time, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Quotes a field that would be read as something else, or as several.
  private static func append(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    // A byte order mark would be skipped at the start of a file.
    let isPlain = text.allSatisfy { byte in
      byte > UInt8(ascii: " ") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",")
        && byte < 0x80
    }
    CSVWriter.append(text, isQuoted: !isPlain, to: &bytes)
  }

  /// Exact decimals, without trailing zeros.
  static func append(seconds nanoseconds: Int64, to bytes: inout [UInt8]) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    bytes.append(contentsOf: String(seconds).utf8)
    guard rest > 0 else { return }
    var digits = String(rest)
    digits = "." + String(repeating: "0", count: 9 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    bytes.append(contentsOf: digits.utf8)
  }
}
