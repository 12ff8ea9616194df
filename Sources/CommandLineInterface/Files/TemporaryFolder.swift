package import Foundation

/// A folder for what a run does not keep, which goes with the process if a signal ends it.
package struct TemporaryFolder: Sendable {
  package let url: URL
  private let parent: String?

  /// Names one that is not there yet; ``make()`` makes it.
  ///
  /// - Parameters:
  ///   - purpose: a word. Short, since the path of a socket is.
  ///   - parent: in which folder, made where it is not there; `nil`: among the system's temporary ones.
  package init(for purpose: String, in parent: String? = nil) {
    self.parent = parent
    url =
      (parent.map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.temporaryDirectory)
      .appendingPathComponent("\(Self.prefix)\(purpose)-\(UUID().uuidString.prefix(8))")
  }

  /// What every such folder's name begins with.
  private static let prefix = "tidemark-"

  /// - Throws: ``CommandFailure`` where it cannot be made.
  package func make() throws(CommandFailure) {
    TerminationSignals.add(draft: url.path)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: parent != nil, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(.output, "\(url.path): not made: \(error.localizedDescription)")
    }
  }

  package func path(of file: String) -> String { url.appendingPathComponent(file).path }

  package func remove() {
    TerminationSignals.settle(draft: url.path) { Self.remove(url.path) }
  }

  /// Removes the folder of a run, whoever made it, and nothing else.
  package static func remove(_ path: String) {
    guard URL(fileURLWithPath: path).lastPathComponent.hasPrefix(prefix) else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
