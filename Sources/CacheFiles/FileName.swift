/// The name of a cached file: the digest of a text, as 64 lower-case hexadecimal digits.
///
/// The text itself is not part of the name, so no text can refer to a file elsewhere. Apps use SHA-256
/// (`FileName(hashing:)` of `FileHashing`).
package struct FileName: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  private static let digits = Array("0123456789abcdef".utf8)
  /// The number of bytes of a digest.
  package static let digestBytes = 32
  private static let digitCount = 2 * digestBytes
  /// The bytes of a name without an extension, with the terminator that Swift adds.
  package static let textBytes = digitCount + 1

  /// Creates the name for a digest.
  ///
  /// - Parameters:
  ///   - digest: the digest of the file's text, 32 bytes.
  ///   - fileExtension: at most eight lower-case letters and digits; a constant, never input.
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

  /// Creates the name of a unique file that listings omit, such as a manifest.
  ///
  /// - Parameter name: lower-case letters and an extension, less than 64 in all; a constant.
  package init(single name: StaticString) {
    description = "\(name)"
    let letters = description.utf8.filter { $0 != UInt8(ascii: ".") }
    precondition(
      letters.count < Self.digitCount && Self.isExtension(letters.prefix(8))
        && description.utf8.count == letters.count + 1,
      "\"\(description)\" is no name of a single file")
  }

  /// The extension; `nil`: none.
  package var fileExtension: String? {
    description.utf8.firstIndex(of: UInt8(ascii: ".")).map {
      String(description[description.index(after: $0)...])
    }
  }

  /// The name without its extension.
  package var stem: FileName { FileName(known: String(description.prefix { $0 != "." })) }

  package func with(extension fileExtension: String) -> FileName {
    precondition(
      Self.isExtension(fileExtension.utf8),
      "\"\(fileExtension)\" is no extension of a cached file")
    return FileName(known: "\(stem).\(fileExtension)")
  }

  private init(known description: String) { self.description = description }

  /// Creates the name of a file that was found; `nil` if it is not a cache file's name.
  package init?(found text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.digitCount, bytes.prefix(Self.digitCount).allSatisfy(Self.isDigit)
    else { return nil }
    let rest = bytes.dropFirst(Self.digitCount)
    guard rest.isEmpty || rest.first == UInt8(ascii: ".") && Self.isExtension(rest.dropFirst())
    else { return nil }
    description = text
  }

  /// 64 bits of the digest, the same in every process.
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
