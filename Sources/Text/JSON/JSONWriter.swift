/// Writes JSON (RFC 8259) with members in the given order, so that equal documents have equal bytes.
///
/// It writes incrementally, for files too large for two copies in memory, or a complete ``JSONValue``.
@usableFromInline package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private let isIndented: Bool
  private var depth = 0
  private var next = Place.first

  /// The separator before the next value.
  private enum Place {
    case first, later, afterName
  }

  /// Creates a writer of lines, or of an indented document for people and `git diff`.
  package init(isIndented: Bool = false) {
    self.isIndented = isIndented
  }

  /// Returns a document with a final line terminator, indented or in one line.
  package static func document(
    _ value: JSONValue, isIndented: Bool = true
  ) throws(NotFinite) -> [UInt8] {
    var writer = JSONWriter(isIndented: isIndented)
    try writer.element(value)
    writer.endLine()
    return writer.bytes
  }

  /// Returns one line with its terminator, for JSON Lines.
  package static func line(_ value: JSONValue) throws(NotFinite) -> [UInt8] {
    try document(value, isIndented: false)
  }

  package mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    if let name { self.name(name) }
    begin(UInt8(ascii: "{"))
    body(&self)
    end(UInt8(ascii: "}"))
  }

  package mutating func array(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    if let name { self.name(name) }
    begin(UInt8(ascii: "["))
    body(&self)
    end(UInt8(ascii: "]"))
  }

  /// Appends an object as a separate line.
  package mutating func line(_ body: (inout JSONWriter) -> Void) {
    object(nil, body)
    endLine()
  }

  /// Ends a line or the document; the next value begins another.
  package mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    next = .first
  }

  @usableFromInline package mutating func name(_ name: String) {
    element(name)
    bytes.append(UInt8(ascii: ":"))
    if isIndented { bytes.append(UInt8(ascii: " ")) }
    next = .afterName
  }

  @inlinable package mutating func member(_ name: String, _ value: some BinaryInteger) {
    self.name(name)
    element(value)
  }

  package mutating func member(_ name: String, _ value: String) {
    self.name(name)
    element(value)
  }

  package mutating func flag(_ name: String) {
    self.name(name)
    literal("true")
  }

  @inlinable package mutating func element(_ value: some BinaryInteger) {
    if let magnitude = UInt64(exactly: value.magnitude) {
      number(isNegative: value < 0, magnitude)
    } else {
      literal(String(value))
    }
  }

  /// Appends an integer by digits: a string for each would dominate the time of a line.
  @usableFromInline mutating func number(isNegative: Bool, _ magnitude: UInt64) {
    separate()
    if isNegative { bytes.append(UInt8(ascii: "-")) }
    // 2⁶⁴ has twenty digits; the last one is computed first.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (first, rest) = (digits.count, magnitude)
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: digits[first...])
    }
  }

  package mutating func element(_ value: String) {
    separate()
    // Names of members, and most values, are letters without escapes.
    let isPlain = value.utf8.withContiguousStorageIfAvailable { text in
      guard text.allSatisfy(Self.isPlain) else { return false }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: text)
      bytes.append(UInt8(ascii: "\""))
      return true
    }
    if isPlain == true { return }
    Self.append(value.utf8, to: &bytes)
  }

  /// Appends a value from another writer.
  package mutating func element(written value: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: value)
  }

  package mutating func element(_ value: JSONValue) throws(NotFinite) {
    switch value {
    case .null: literal("null")
    case .bool(let value): literal(value ? "true" : "false")
    case .number(let isNegative, let magnitude): number(isNegative: isNegative, magnitude)
    case .real(let value): literal(try MachineNumber.text(value))
    case .string(let text): element(text)
    case .array(let values):
      begin(UInt8(ascii: "["))
      for value in values { try element(value) }
      end(UInt8(ascii: "]"))
    case .object(let members):
      begin(UInt8(ascii: "{"))
      for member in members {
        name(member.name)
        try element(member.value)
      }
      end(UInt8(ascii: "}"))
    }
  }

  /// Appends a string in quotes, given as UTF-8.
  @inlinable package static func append(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20, 0x7F:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      // U+2028 and U+2029 are line terminators in JavaScript.
      case 0xA8...0xA9 where bytes.suffix(2) == [0xE2, 0x80]:
        bytes.removeLast(2)
        bytes.append(contentsOf: (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Returns whether a byte never requires an escape in a string.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  @usableFromInline mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func begin(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    depth += 1
    next = .first
  }

  private mutating func end(_ byte: UInt8) {
    depth -= 1
    if next != .first { startLine() }
    bytes.append(byte)
    next = .later
  }

  private mutating func separate() {
    if next == .later { bytes.append(UInt8(ascii: ",")) }
    if next != .afterName, depth > 0 { startLine() }
    next = .later
  }

  private mutating func startLine() {
    guard isIndented else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  @usableFromInline static let digits = Array("0123456789abcdef".utf8)
}
