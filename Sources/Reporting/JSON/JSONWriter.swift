/// Writes JSON (RFC 8259) with members in the order given, so that equal documents are equal bytes.
package struct JSONWriter {
  private var bytes: [UInt8] = []
  private let isIndented: Bool

  private init(isIndented: Bool) {
    self.isIndented = isIndented
  }

  /// An indented document with a final line end, for people and for `git diff`.
  package static func document(_ value: JSONValue) throws(ExportError) -> [UInt8] {
    var writer = JSONWriter(isIndented: true)
    try writer.write(value, depth: 0)
    writer.append("\n")
    return writer.bytes
  }

  /// One line with its line end, for JSON Lines.
  package static func line(_ value: JSONValue) throws(ExportError) -> [UInt8] {
    var writer = JSONWriter(isIndented: false)
    try writer.write(value, depth: 0)
    writer.append("\n")
    return writer.bytes
  }

  private mutating func write(_ value: JSONValue, depth: Int) throws(ExportError) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(String(value))
    case .unsigned(let value): append(String(value))
    case .real(let value): append(try MachineNumber.text(value))
    case .string(let text): write(string: text)
    case .array(let values):
      try write("[", "]", count: values.count, depth: depth) {
        (writer, index) throws(ExportError) in
        try writer.write(values[index], depth: depth + 1)
      }
    case .object(let members):
      try write("{", "}", count: members.count, depth: depth) {
        (writer, index) throws(ExportError) in
        writer.write(string: members[index].name)
        writer.append(writer.isIndented ? ": " : ":")
        try writer.write(members[index].value, depth: depth + 1)
      }
    }
  }

  private mutating func write(
    _ open: String, _ close: String, count: Int, depth: Int,
    element: (inout JSONWriter, Int) throws(ExportError) -> Void
  ) throws(ExportError) {
    append(open)
    for index in 0..<count {
      if index > 0 { append(",") }
      startLine(depth: depth + 1)
      try element(&self, index)
    }
    if count > 0 { startLine(depth: depth) }
    append(close)
  }

  private mutating func startLine(depth: Int) {
    if isIndented { append("\n" + String(repeating: "  ", count: depth)) }
  }

  private mutating func write(string: String) {
    append("\"")
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": append("\\\"")
      case "\\": append("\\\\")
      case "\n": append("\\n")
      case "\r": append("\\r")
      case "\t": append("\\t")
      // Control characters must be escaped; the two line separators end lines in JavaScript.
      case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
      default: append(String(scalar))
      }
    }
    append("\"")
  }

  private mutating func append(_ text: String) {
    bytes += Array(text.utf8)
  }
}
