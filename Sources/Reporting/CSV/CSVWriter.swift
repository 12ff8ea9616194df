/// Writes comma-separated values as RFC 4180 quotes them.
///
/// Two choices of our own. Lines end in LF alone: the RFC says CR LF, but then the last column of
/// every line that `cut` and `awk` see ends in a stray CR, and every reader that we know takes LF. And
/// a text that a spreadsheet would run as a formula is made harmless by an apostrophe in front, as is
/// one that begins with an apostrophe, so that a reader can take exactly one off again.
package struct CSVWriter {
  package private(set) var bytes: [UInt8] = []
  private var isAtLineStart = true

  package init() {}

  /// Appends a text that someone else may have chosen.
  package mutating func text(_ text: String) {
    separate()
    let text = text.utf8
    let quoted = text.contains(where: Self.needsQuotes)
    if quoted { bytes.append(UInt8(ascii: "\"")) }
    if text.first.map(Self.isRisky) == true { bytes.append(UInt8(ascii: "'")) }
    for byte in text {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    if quoted { bytes.append(UInt8(ascii: "\"")) }
  }

  /// Appends a number, or one of our own words, as it is: a negative number stays a number.
  package mutating func plain(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
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
