/// Reads the value of a header field by the grammar of RFC 9110 (section 5.6), from its beginning on.
///
/// Whatever reads a list, a token, a quoted string, a number or a date of a header reads it here. A part that is not
/// there takes nothing.
package struct FieldReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  package var isAtEnd: Bool { position == bytes.count }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Spaces and tabs, if there are any (`OWS`).
  package mutating func skipSpace() {
    while let byte = next, byte == Self.space || byte == Self.tab { position += 1 }
  }

  /// - Returns: whether this text was next, in this case.
  package mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  /// The place of the first text that is next.
  package mutating func take(oneOf texts: [String]) -> Int? {
    for (index, text) in texts.enumerated() where take(text) { return index }
    return nil
  }

  /// A number of exactly that many digits.
  package mutating func digits(_ count: Int) -> Int? {
    guard position + count <= bytes.count else { return nil }
    let digits = bytes[position..<(position + count)]
    guard digits.allSatisfy(Self.isDigit) else { return nil }
    position += count
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// One or more characters of a token (section 5.6.2).
  package mutating func token() -> String? {
    let start = position
    while let byte = next, Self.isTokenCharacter(byte) { position += 1 }
    return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// A quoted string (section 5.6.4), its quotes removed, and of each quoted pair its second character.
  ///
  /// - Returns: `nil` where none begins, none ends, or a character stands in it that may not.
  package mutating func quotedString() -> String? {
    guard next == Self.quote else { return nil }
    var text: [UInt8] = []
    var index = position + 1
    while index < bytes.count, bytes[index] != Self.quote {
      if bytes[index] == Self.backslash { index += 1 }
      guard index < bytes.count, Self.isText(bytes[index]) else { return nil }
      text.append(bytes[index])
      index += 1
    }
    guard index < bytes.count else { return nil }
    position = index + 1
    return String(decoding: text, as: UTF8.self)
  }

  /// The members of a list (section 5.6.1), without the empty ones.
  ///
  /// - Parameter member: reads one; `nil`: there is none that it knows.
  /// - Returns: `nil` where the rest of the value is no such list.
  package mutating func list<Member>(
    _ member: (inout FieldReader) -> Member?
  ) -> [Member]? {
    var members: [Member] = []
    while true {
      skipSpace()
      if isAtEnd { return members }
      if take(",") { continue }
      guard let next = member(&self) else { return nil }
      members.append(next)
      skipSpace()
      guard isAtEnd || take(",") else { return nil }
    }
  }

  /// The names in a list of tokens; `nil`: the value is no such list.
  package static func tokens(_ value: String) -> [String]? {
    var reader = FieldReader(value)
    return reader.list { $0.token() }
  }

  /// The first member of a list of numbers of seconds (RFC 9111, section 5.1); `nil`: it is none.
  package static func firstSeconds(_ value: String) -> Duration? {
    var reader = FieldReader(value)
    reader.skipSpace()
    while reader.take(",") { reader.skipSpace() }
    guard let token = reader.token() else { return nil }
    reader.skipSpace()
    return reader.isAtEnd || reader.take(",") ? seconds(token) : nil
  }

  /// A number of seconds (RFC 9111, section 1.2.2), at most 2³¹; `nil`: it is none.
  package static func seconds(_ text: String) -> Duration? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return .seconds(min(UInt64(text) ?? maximumSeconds, maximumSeconds))
  }

  /// The largest number of seconds that is told apart.
  package static let maximumSeconds: UInt64 = 1 << 31

  // MARK: Characters

  private static let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
  private static let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
  private static let marks = Set("!#$%&'*+-.^_`|~".utf8)

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: marks.contains(byte)
    }
  }

  /// Visible characters, spaces, tabs, and whatever is not ASCII.
  private static func isText(_ byte: UInt8) -> Bool {
    byte == tab || byte >= space && byte != 0x7F
  }
}
