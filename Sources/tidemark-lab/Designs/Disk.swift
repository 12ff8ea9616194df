import CacheFiles
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// What files take and what was written to them, as the system counts it.
enum Disk {
  /// The bytes that this process has handed to the system to be written; `nil`: it does not count them.
  static var bytesWritten: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    return line.flatMap { Int($0.dropFirst("wchar: ".count)) }
  }

  /// The bytes written between an earlier count and now.
  static func bytesWritten(since before: Int?) -> Int? {
    guard let before, let now = bytesWritten else { return nil }
    return now - before
  }

  /// The bytes that a folder's files take on the disk, in whole blocks, and how many files there are.
  static func usage(of folder: URL) throws -> (bytes: Int, files: Int) {
    var (bytes, files) = (0, 0)
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      var status = stat()
      guard stat("\(folder.path)/\(path)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      // POSIX leaves the unit open; Linux and Darwin have 512 bytes.
      bytes += Int(status.st_blocks) * 512
      files += 1
    }
    return (bytes, files)
  }

  /// Waits until the cache that had a folder has let it go.
  ///
  /// - Throws: ``StillInUse`` after ten seconds.
  static func waitUntilFree(_ folder: URL) async throws {
    for _ in 0..<10_000 {
      if try FileFolder(path: folder.path).lock() != nil { return }
      try await Task.sleep(for: .milliseconds(1))
    }
    throw StillInUse(folder: folder.path)
  }

  struct StillInUse: Error, CustomStringConvertible {
    var folder: String
    var description: String { "\(folder): still in use by the cache before; a fault of its own" }
  }
}
