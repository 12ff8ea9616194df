import CacheFiles
import FileHashing
import Foundation
import TwoTierCacheCore

extension Seal {
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
