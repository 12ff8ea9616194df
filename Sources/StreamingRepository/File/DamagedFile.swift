import Foundation

/// A file that SQLite cannot use.
enum DamagedFile {
  /// Gives a file, with its log, another name, so that a new one can be begun: the first that is free.
  ///
  /// - Parameter path: where it is.
  /// - Returns: where it is then.
  /// - Throws: where it cannot be renamed, or a thousand are there already.
  static func keepAside(_ path: String) throws -> String {
    let files = FileManager.default
    let free = (1...1_000).lazy.map { "\(path).damaged-\($0)" }
      .first { !files.fileExists(atPath: $0) }
    guard let free else { throw CocoaError(.fileWriteFileExists) }
    try files.moveItem(atPath: path, toPath: free)
    for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
      try files.moveItem(atPath: path + suffix, toPath: free + suffix)
    }
    return free
  }
}
