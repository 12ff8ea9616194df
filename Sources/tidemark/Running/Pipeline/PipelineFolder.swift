import Foundation
import Measurement

/// The temporary folder of a run: the socket, and the server's journal where it may be killed.
struct PipelineFolder: Sendable {
  let url: URL

  /// - Throws: ``PipelineError/pathTooLong(_:)``, or ``CommandFailure`` where it cannot be made.
  init() throws {
    // Short, since the path of a socket is.
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-sync-\(UUID().uuidString.prefix(8))")
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
  var journal: String { url.appendingPathComponent("journal").path }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
