package import CacheModel
package import FaultSearch
import NormalizedCache

/// Notes as bytes: folder, star and title, a line each, then the text.
package struct NoteCodec: StorageCodec {
  package typealias Payload = Note
  package typealias Change = NoteChange

  package var schemaVersion: Int

  package init(schemaVersion: Int = 1) {
    self.schemaVersion = schemaVersion
  }

  package func encode(_ payload: Note, of key: EntityKey) throws -> [UInt8] {
    let star = payload.isStarred ? 1 : 0
    return Array("\(payload.folder)\n\(star)\n\(payload.title)\n\(payload.text)".utf8)
  }

  package func decode(
    _ bytes: [UInt8], of key: EntityKey, schemaVersion: Int
  ) throws -> Note {
    let words = Self.lines(bytes, most: 4)
    guard words.count == 4, let folder = Int(words[0]) else {
      throw StorageError.failed("note \(key.id.low) has no four lines")
    }
    return Note(folder: folder, title: words[2], isStarred: words[1] == "1", text: words[3])
  }

  package func encodeChange(_ change: NoteChange, of key: EntityKey) throws -> [UInt8] {
    switch change {
    case .title(let title): Array("title\n\(title)".utf8)
    case .folder(let folder): Array("folder\n\(folder)".utf8)
    case .star(let isStarred): Array("star\n\(isStarred ? 1 : 0)".utf8)
    }
  }

  package func decodeChange(
    _ bytes: [UInt8], of key: EntityKey, schemaVersion: Int
  ) throws -> NoteChange {
    let words = Self.lines(bytes, most: 2)
    switch (words.first, words.last) {
    case ("title", let title?): return .title(title)
    case ("star", let star?): return .star(star == "1")
    case ("folder", let text?):
      if let folder = Int(text) { return .folder(folder) }
      fallthrough
    default: throw StorageError.failed("no change of note \(key.id.low)")
    }
  }

  private static func lines(_ bytes: [UInt8], most: Int) -> [String] {
    bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: most - 1, omittingEmptySubsequences: false
    )
    .map { String(decoding: $0, as: UTF8.self) }
  }
}
