/// Sanitizes untrusted text for a message: it must not be able to move the cursor, ring the bell, change the
/// direction of writing, or begin a line of the message.
extension String {
  /// The text with numbers such as `\u{1B}` instead of control characters, invisible characters and line
  /// breaks; O(length).
  package var legible: String {
    guard unicodeScalars.contains(where: \.isIllegible) else { return self }
    var shown = ""
    for scalar in unicodeScalars {
      if scalar.isIllegible {
        shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// The sanitized beginning of the text, the maximum that an error message includes from a hostile file.
  package var excerpt: String {
    // Unicode scalars, since a character may have any length.
    let head = unicodeScalars.prefix(60)
    return String(head).legible + (head.endIndex < unicodeScalars.endIndex ? "…" : "")
  }
}

extension Unicode.Scalar {
  /// Whether it is in the categories Cc, Cf, Zl or Zp, or ignorable if unsupported: fillers, joiners and
  /// selectors, which can make different names look the same.
  ///
  /// Source: Unicode Character Database, `Default_Ignorable_Code_Point`.
  fileprivate var isIllegible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }
}

extension UInt8 {
  package var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

/// The mark before a text that shows its encoding.
///
/// In UTF-8, with its single byte order, the mark has no meaning and is skipped; some editors add it. Source:
/// the Unicode Standard, section 23.8.
package enum ByteOrderMark: Hashable, Sendable {
  case utf8, utf16, utf32

  /// The maximum size of a mark in bytes.
  package static let most = 4

  /// Detects a mark; `nil` if there is none: a text in UTF-8 may begin with a byte of the mark, as `ｋ` does.
  ///
  /// - Parameter head: the first ``most`` bytes of a file, or all of a shorter one.
  package init?(head: some Collection<UInt8>) {
    let head = Array(head.prefix(Self.most))
    func begins(_ mark: UInt8...) -> Bool { head.starts(with: mark) }
    if begins(0xEF, 0xBB, 0xBF) {
      self = .utf8
    } else if begins(0xFF, 0xFE, 0, 0) || begins(0, 0, 0xFE, 0xFF) {
      self = .utf32
    } else if begins(0xFF, 0xFE) || begins(0xFE, 0xFF) {
      self = .utf16
    } else {
      return nil
    }
  }

  /// Returns the number of bytes before a text in UTF-8.
  ///
  /// - Parameter head: the same as for ``init(head:)``.
  /// - Returns: 0 or 3.
  /// - Throws: ``ForeignEncoding`` if a mark shows another encoding.
  package static func length(in head: some Collection<UInt8>) throws(ForeignEncoding) -> Int {
    switch ByteOrderMark(head: head) {
    case nil: return 0
    case .utf8?: return 3
    case let other?: throw ForeignEncoding(mark: other)
    }
  }

  package var encoding: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16: "UTF-16"
    case .utf32: "UTF-32"
    }
  }
}

/// A text whose mark shows an encoding other than UTF-8.
package struct ForeignEncoding: Error, Hashable, Sendable, CustomStringConvertible {
  package let mark: ByteOrderMark

  /// The cause and the remedy, without a location.
  package var description: String {
    "its text is \(mark.encoding), and UTF-8 is read; save it as UTF-8, or convert it: "
      + "iconv -f \(mark.encoding) -t UTF-8"
  }
}

/// The words of a command line that a message asks the user to type.
package enum ShellWord {
  /// The command whose arguments a shell reads back as these words, whatever is in them.
  package static func line(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  /// The word as a shell reads it back.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      $0.isASCIILetterOrDigit || "_-./+:@%,=".utf8.contains($0)
    }
    return isPlain && !word.isEmpty
      ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}

/// FNV-1a, 64 bits (draft-eastlake-fnv): a hash for comparing contents, without protection against attackers.
package struct Fingerprint: Hashable, Sendable {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package init(of bytes: some Sequence<UInt8>) { combine(bytes) }

  package mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }

  /// Adds a text and its end, so that concatenated texts differ.
  package mutating func combine(_ text: String) {
    combine(text.utf8)
    combine(CollectionOfOne(0xff))
  }

  /// Sixteen hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns a number below a bound, determined by the content.
  package func below(_ bound: UInt64) -> UInt64 { value % bound }
}
