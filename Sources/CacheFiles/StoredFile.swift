package import CacheModel
package import Foundation

/// A cached file, as it was found.
package struct StoredFile: Hashable, Sendable {
  package var name: FileName
  /// The whole file, with everything before the body.
  package var bytes: Int
  /// The time of day when its content was written.
  package var written: Instant
  /// The time of day when it was last read, as far as readers note it; else when it was written.
  package var used: Instant
  /// Its number in the file system: another once the file has been replaced.
  package var number: UInt64

  package init(name: FileName, bytes: Int, written: Instant, used: Instant, number: UInt64) {
    self.name = name
    self.bytes = bytes
    self.written = written
    self.used = used
    self.number = number
  }

  /// Whether the file was not written between two looks; reading it changes nothing.
  package func isUnchanged(since other: StoredFile) -> Bool {
    number == other.number && written == other.written && bytes == other.bytes
      && name == other.name
  }
}

/// The content of a file.
package struct FileContent: Sendable {
  /// What was asked for of its beginning; shorter where the file is.
  package var header: [UInt8]
  /// The rest.
  package var body: Data
  package var file: StoredFile
}
