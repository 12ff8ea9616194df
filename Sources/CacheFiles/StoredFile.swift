package import CacheModel
package import Foundation

package struct StoredFile: Hashable, Sendable {
  package var name: FileName
  /// The size of the whole file, headers included.
  package var bytes: Int
  /// The time of day when its content was written.
  package var written: Instant
  /// The time of day of the last read, if readers record it; otherwise of the last write.
  package var used: Instant
  /// Its number in the file system, which changes when the file is replaced.
  package var number: UInt64

  package init(name: FileName, bytes: Int, written: Instant, used: Instant, number: UInt64) {
    self.name = name
    self.bytes = bytes
    self.written = written
    self.used = used
    self.number = number
  }

  /// Returns whether the file was not written since; reading it changes nothing.
  package func isUnchanged(since other: StoredFile) -> Bool {
    number == other.number && written == other.written && bytes == other.bytes
      && name == other.name
  }
}

package struct FileContent: Sendable {
  /// The requested bytes at the beginning; fewer if the file is shorter.
  package var header: [UInt8]
  /// The rest.
  package var body: Data
  package var file: StoredFile
}
