import Foundation
import Measurement
import SyncStack

/// The temporary folder of a run: the socket, and the storage of a cache.
struct PipelineFolder: Sendable {
  let url: URL

  /// - Throws: ``PipelineError/pathTooLong(_:)``, or ``CommandFailure`` where it cannot be made.
  init() throws {
    // Short, since the path of a socket is.
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(Self.prefix)\(UUID().uuidString.prefix(8))")
    guard socket.utf8.count <= SyncEndpoint.longestPath else {
      throw PipelineError.pathTooLong(socket)
    }
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(.output, "\(url.path): not made: \(error.localizedDescription)")
    }
  }

  var socket: String { url.appendingPathComponent("sync.sock").path }
  var storage: String { url.appendingPathComponent("cache.sqlite").path }

  /// What every such folder's name begins with.
  static let prefix = "tidemark-sync-"

  func remove() { Self.remove(url.path) }

  /// Removes the folder of a run, whoever made it, and nothing else.
  static func remove(_ path: String) {
    guard URL(fileURLWithPath: path).lastPathComponent.hasPrefix(prefix) else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
