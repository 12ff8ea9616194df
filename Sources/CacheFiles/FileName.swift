/// The name of a cached file: the digest of a text, in 64 lower-case hexadecimal digits.
///
/// Nothing of the text itself reaches the name, so no text can name a file elsewhere. Apps name files by
/// SHA-256 (`FileName(hashing:)` of `FileHashing`).
package struct FileName: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  private static let digits = Array("0123456789abcdef".utf8)
  /// Bytes of a digest.
  package static let digestBytes = 32
  private static let digitCount = 2 * digestBytes
  /// The bytes of a name without an extension, with the end that Swift keeps behind them.
  package static let textBytes = digitCount + 1

  /// The name of a digest.
  ///
  /// - Parameters:
  ///   - digest: of the text that the file belongs to, 32 bytes.
  ///   - fileExtension: at most eight lower-case letters and digits; the program's own word, never input.
  package init(digest: some Collection<UInt8>, extension fileExtension: String? = nil) {
    precondition(digest.count == Self.digestBytes, "\(digest.count) bytes are no digest of a name")
    var name: [UInt8] = []
    name.reserveCapacity(Self.digitCount)
    for byte in digest {
      name.append(Self.digits[Int(byte >> 4)])
      name.append(Self.digits[Int(byte & 15)])
    }
    var text = String(decoding: name, as: UTF8.self)
    if let fileExtension {
      precondition(
        Self.isExtension(fileExtension.utf8),
        "\"\(fileExtension)\" is no extension of a cached file")
      text += ".\(fileExtension)"
    }
    description = text
  }

  /// The name of a file that there is one of, which no listing shows: of a manifest.
  ///
  /// - Parameter name: lower-case letters and an extension, less than 64 in all; the program's own word.
  package init(single name: StaticString) {
    description = "\(name)"
    let letters = description.utf8.filter { $0 != UInt8(ascii: ".") }
    precondition(
      letters.count < Self.digitCount && Self.isExtension(letters.prefix(8))
        && description.utf8.count == letters.count + 1,
      "\"\(description)\" is no name of a single file")
  }

  /// The extension; `nil`: there is none.
  package var fileExtension: String? {
    description.utf8.firstIndex(of: UInt8(ascii: ".")).map {
      String(description[description.index(after: $0)...])
    }
  }

  /// The name without its extension.
  package var stem: FileName { FileName(known: String(description.prefix { $0 != "." })) }

  /// The name of another file of the same text.
  package func with(extension fileExtension: String) -> FileName {
    precondition(
      Self.isExtension(fileExtension.utf8),
      "\"\(fileExtension)\" is no extension of a cached file")
    return FileName(known: "\(stem).\(fileExtension)")
  }

  private init(known description: String) { self.description = description }

  /// The name of a file that was found; `nil` if a file is called otherwise.
  package init?(found text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.digitCount, bytes.prefix(Self.digitCount).allSatisfy(Self.isDigit)
    else { return nil }
    let rest = bytes.dropFirst(Self.digitCount)
    guard rest.isEmpty || rest.first == UInt8(ascii: ".") && Self.isExtension(rest.dropFirst())
    else { return nil }
    description = text
  }

  /// 64 bits of the hash, the same in every process.
  package var fingerprint: UInt64 {
    UInt64(description.prefix(16), radix: 16) ?? 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isExtension(_ bytes: some Collection<UInt8>) -> Bool {
    (1...8).contains(bytes.count)
      && bytes.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      }
  }
}
