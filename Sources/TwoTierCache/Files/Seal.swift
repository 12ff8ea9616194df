import CacheFiles
import Foundation

/// What stands before a value in its file, so that a damaged one is told from a sound one, whatever the value.
///
/// 40 bytes: a word that names the format and its version, and the SHA-256 of the file's name and the value. A
/// sound file under another's name is damaged too.
package enum Seal {
  private static let word = Array("TwoTier1".utf8)
  package static let byteCount = word.count + FileDigest.byteCount

  static func of(_ value: Data, in name: FileName) -> Data {
    Data(word + digest(value, name))
  }

  static func holds(_ content: FileContent) -> Bool {
    content.header == word + digest(content.body, content.file.name)
  }

  private static func digest(_ value: Data, _ name: FileName) -> [UInt8] {
    FileDigest.of(Data(name.description.utf8), value)
  }
}
