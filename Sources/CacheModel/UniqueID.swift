/// A 128-bit identifier as in RFC 9562 (a UUID), in two words.
///
/// Equality and order compare the value, so upper and lower case do not matter.
public struct UniqueID: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The first eight bytes, big-endian.
  public var high: UInt64
  /// The last eight bytes, big-endian.
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the 36-character form `8-4-4-4-12`, in either case; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    var words: (UInt64, UInt64) = (0, 0)
    var digits = 0
    var position = 0
    for byte in text.utf8 {
      let isHyphenPlace = position == 8 || position == 13 || position == 18 || position == 23
      position += 1
      if isHyphenPlace {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard digits < 32, let digit = Self.hexadecimalValue(of: byte) else { return nil }
      if digits < 16 {
        words.0 = words.0 << 4 | digit
      } else {
        words.1 = words.1 << 4 | digit
      }
      digits += 1
    }
    guard digits == 32, position == 36 else { return nil }
    self.init(high: words.0, low: words.1)
  }

  public static func < (lhs: UniqueID, rhs: UniqueID) -> Bool {
    lhs.high != rhs.high ? lhs.high < rhs.high : lhs.low < rhs.low
  }

  private static func hexadecimalValue(of byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

extension UniqueID: CustomStringConvertible {
  /// The lower-case 36-character form.
  public var description: String {
    var text = ""
    text.reserveCapacity(36)
    for position in 0..<32 {
      if position == 8 || position == 12 || position == 16 || position == 20 { text.append("-") }
      let word = position < 16 ? high : low
      let digit = (word >> UInt64((15 - position % 16) * 4)) & 0xF
      text.append(Self.digits[Int(digit)])
    }
    return text
  }

  private static let digits = Array("0123456789abcdef")
}

extension UniqueID: Codable {
  /// Reads the 36-character form, in either case.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = UniqueID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a UUID in its form of 36 characters is expected")
    }
    self = id
  }

  /// Writes the lower-case form of 36 characters.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension LibraryID: Codable {
  /// Reads the identifier alone.
  ///
  /// - Throws: as ``UniqueID``.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try UniqueID(from: decoder))
  }

  /// Writes the identifier alone.
  public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension ResourceType: Codable {}

/// Text that is compared by its bytes in UTF-8.
///
/// `String` compares by canonical equivalence (Unicode Standard Annex 15): `é` as one scalar equals `é` as
/// two. Files, SQLite and servers compare bytes. Use this type to look up text in memory that is also stored
/// elsewhere.
@usableFromInline
package struct TextKey: Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// The original text, not normalized.
  package let text: String

  /// - Complexity: O(1) if the text is in memory as UTF-8, as all text on Linux is; otherwise O(bytes).
  @usableFromInline package init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.text = text
  }

  @usableFromInline package init(stringLiteral text: String) { self.init(text) }

  @usableFromInline package var description: String { text }

  @usableFromInline package static func == (lhs: TextKey, rhs: TextKey) -> Bool {
    lhs.text.utf8.elementsEqual(rhs.text.utf8)
  }

  /// Compares bytes, which is the order of the scalars.
  @usableFromInline package static func < (lhs: TextKey, rhs: TextKey) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
  }

  /// Text with the same bytes is equal in Swift too, so its own hash suffices.
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
