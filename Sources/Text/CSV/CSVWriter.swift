/// Writes comma-separated values with quotes as in RFC 4180.
///
/// There are two deviations. Lines end with LF alone: the RFC requires CR LF, but then the last column in
/// `cut` and `awk` ends with a CR, and all common readers accept LF. A text that a spreadsheet would evaluate
/// as a formula is prefixed with an apostrophe, as is one that begins with an apostrophe, so that a reader
/// can remove exactly one.
@usableFromInline package struct CSVWriter {
  package private(set) var bytes: [UInt8] = []
  private var isAtLineStart = true

  package init(columns: [String] = []) {
    guard !columns.isEmpty else { return }
    for column in columns { plain(column) }
    endLine()
  }

  package mutating func text(_ text: String) {
    separate()
    let isRisky = text.utf8.first.map(Self.isRisky) == true
    let shown = (isRisky ? "'" + text : text).utf8
    Self.append(shown, isQuoted: shown.contains(where: Self.needsQuotes), to: &bytes)
  }

  /// Appends one field to a line; quotes are doubled if it is quoted.
  @inlinable package static func append(
    _ field: some Collection<UInt8>, isQuoted: Bool, to bytes: inout [UInt8]
  ) {
    guard isQuoted else { return bytes.append(contentsOf: field) }
    let quote = UInt8(ascii: "\"")
    bytes.append(quote)
    for byte in field {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
  }

  /// Appends a number or a fixed word unchanged: a negative number remains a number.
  package mutating func plain(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Returns a file with a record for each object, whose members are its cells; the first determines the
  /// columns.
  package static func table(of objects: [[JSONMember]]) throws(NotFinite) -> [UInt8] {
    var writer = CSVWriter(columns: objects.first?.map(\.name) ?? [])
    for object in objects {
      for member in object {
        switch member.value {
        case .null: writer.plain("")
        case .string(let text): writer.text(text)
        case let value:
          writer.plain(String(decoding: try JSONWriter.line(value).dropLast(), as: UTF8.self))
        }
      }
      writer.endLine()
    }
    return writer.bytes
  }

  package mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    isAtLineStart = true
  }

  private mutating func separate() {
    if !isAtLineStart { bytes.append(UInt8(ascii: ",")) }
    isAtLineStart = false
  }

  private static func isRisky(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "'"):
      true
    default: false
    }
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }
}
