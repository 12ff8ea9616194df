import Foundation

/// The file by which a Unix socket is found.
enum SocketFile {
  /// Removes it, if it is there.
  static func remove(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.removeItem(atPath: path)
  }
}
