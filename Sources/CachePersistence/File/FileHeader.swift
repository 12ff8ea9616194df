import Foundation
import NormalizedCache

/// What can be told of a file without SQLite, which might change it.
enum FileHeader {
  /// - Throws: ``StorageError/corrupt(_:keptAside:)`` for what is no SQLite file,
  ///   ``StorageError/newerSchema(found:supported:_:)`` for one of a newer program.
  ///
  /// Source: the SQLite file format, section 1.3: the magic string at 0, the user version at 60.
  static func check(_ path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path) else { return }
    defer { try? file.close() }
    let header = [UInt8](try file.read(upToCount: 100) ?? Data())
    guard !header.isEmpty else { return }
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw StorageError.corrupt(path, keptAside: nil)
    }
    let version = header[60..<64].reduce(0) { $0 << 8 | Int($1) }
    try FileSchema.check(version: version, path: path)
  }

  /// Gives a file, with its log, another name: the first that is free.
  ///
  /// - Parameter path: where it is.
  /// - Returns: where it is then.
  static func setAside(_ path: String) throws -> String {
    let files = FileManager.default
    let free = (1...1_000).lazy.map { "\(path).corrupt-\($0)" }.first {
      !files.fileExists(atPath: $0)
    }
    guard let free else { throw CocoaError(.fileWriteFileExists) }
    try files.moveItem(atPath: path, toPath: free)
    for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
      try files.moveItem(atPath: path + suffix, toPath: free + suffix)
    }
    return free
  }
}
