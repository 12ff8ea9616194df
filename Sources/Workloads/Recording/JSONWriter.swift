/// Appends JSON to bytes, member by member; the caller keeps the order of names.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether a comma is due before the next member or element.
  private var isFirst = true

  mutating func beginObject() { begin(UInt8(ascii: "{")) }
  mutating func endObject() { end(UInt8(ascii: "}")) }
  mutating func beginArray() { begin(UInt8(ascii: "[")) }
  mutating func endArray() { end(UInt8(ascii: "]")) }

  mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    isFirst = true
  }

  mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    isFirst = true
  }

  mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
    self.name(name)
    element(value)
  }

  mutating func member(_ name: StaticString, _ value: String) {
    self.name(name)
    element(value)
  }

  mutating func element(_ value: some BinaryInteger) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func element(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func literal(_ text: StaticString) {
    separate()
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func begin(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    isFirst = true
  }

  private mutating func end(_ byte: UInt8) {
    bytes.append(byte)
    isFirst = false
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
