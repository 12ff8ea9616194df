import CacheFiles
import CacheModel
import FileHashing

/// Files as a store's shell would find them: a number for each key, and the fault in it.
struct ModelDisk {
  struct File {
    var stored: StoredFile
    /// The value; `nil`: the bytes are invalid.
    var value: Int?
    /// When it came to lie there: steps, not time.
    var placed: Int
  }

  private(set) var files: [Int: File] = [:]
  private var lastNumber: UInt64 = 0

  static let names = (0..<8).map { FileName(hashing: "\($0)") }

  mutating func write(_ key: Int, _ value: Int?, bytes: Int, date: Instant, step: Int) -> StoredFile
  {
    lastNumber += 1
    let stored = StoredFile(
      name: Self.names[key], bytes: bytes, written: date, used: date, number: lastNumber)
    files[key] = File(stored: stored, value: value, placed: step)
    return stored
  }

  mutating func remove(_ key: Int) { files[key] = nil }

  mutating func removeAll() { files = [:] }

  mutating func remove(_ file: StoredFile) {
    guard let key = Self.names.firstIndex(of: file.name), let present = files[key],
      present.stored.isUnchanged(since: file)
    else { return }
    files[key] = nil
  }

  mutating func use(_ key: Int, at now: Instant) { files[key]?.stored.used = now }

  /// In order of keys.
  var list: [StoredFile] { Self.names.indices.compactMap { files[$0]?.stored } }
}
