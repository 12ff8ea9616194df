package import CacheFiles
import Crypto
package import Foundation

/// SHA-256 for file names and for detecting corruption.
package enum FileDigest {
  /// Returns the digest of concatenated parts.
  package static func of(_ parts: Data...) -> [UInt8] {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    return Array(hash.finalize())
  }
}

extension FileName {
  /// Creates a file name from a text, such as a key or a URL, by its SHA-256.
  ///
  /// Two texts have the same name only if their UTF-8 bytes are equal.
  ///
  /// - Parameters:
  ///   - text: any text.
  ///   - fileExtension: at most eight lower-case letters and digits; the program's own word, never input.
  package init(hashing text: String, extension fileExtension: String? = nil) {
    self.init(digest: FileDigest.of(Data(text.utf8)), extension: fileExtension)
  }
}
