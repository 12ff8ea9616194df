package import CacheFiles
import Crypto
package import Foundation

/// SHA-256, for the names of files and for checking that they are intact.
package enum FileDigest {
  /// The digest of parts, one after the other.
  package static func of(_ parts: Data...) -> [UInt8] {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    return Array(hash.finalize())
  }
}

extension FileName {
  /// Names the file of a text, of a key or of a URL, by its SHA-256.
  ///
  /// Two texts have one name only if their bytes in UTF-8 are the same.
  ///
  /// - Parameters:
  ///   - text: of any length and content.
  ///   - fileExtension: at most eight lower-case letters and digits; the program's own word, never input.
  package init(hashing text: String, extension fileExtension: String? = nil) {
    self.init(digest: FileDigest.of(Data(text.utf8)), extension: fileExtension)
  }
}
