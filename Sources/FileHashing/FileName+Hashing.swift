package import CacheFiles
import Foundation

extension FileName {
  /// Names the file of a text, of a key or of a URL, by its SHA-256.
  ///
  /// Texts that are equal in Swift have one name: they are hashed as UTF-8 in the composed form of Unicode
  /// (NFC).
  ///
  /// - Parameters:
  ///   - text: of any length and content.
  ///   - fileExtension: at most eight lower-case letters and digits; the program's own word, never input.
  package init(hashing text: String, extension fileExtension: String? = nil) {
    // ASCII is composed already.
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    let composed = isASCII ? text : text.precomposedStringWithCanonicalMapping
    self.init(digest: FileDigest.of(Data(composed.utf8)), extension: fileExtension)
  }
}
