package import CacheFiles
import Foundation

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
