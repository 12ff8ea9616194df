import Foundation
import FoundationEssentials

/// The events of a server in a file, one line each, so that a server that is killed is started again
/// where it stood.
///
/// A line is in the operating system's hands before anybody is told of it: enough for a process that
/// dies, not for a machine that does.
package final class Journal {
  private let handle: FileHandle
  private let path: String

  /// Opens a file, or begins one.
  ///
  /// - Throws: ``JournalError``.
  package init(path: String) throws(JournalError) {
    self.path = path
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    guard let handle = FileHandle(forUpdatingAtPath: path) else {
      throw JournalError(path: path, reason: "it cannot be opened for writing")
    }
    self.handle = handle
  }

  /// Hands over every event that the file holds, and cuts off what a dying process left of one.
  ///
  /// - Throws: ``JournalError``, and what `take` throws.
  package func replay(_ take: (WireMessage, _ bytes: Int) throws -> Void) throws {
    let contents: Data
    do {
      contents = try handle.readToEnd() ?? Data()
    } catch {
      throw JournalError(path: path, reason: "\(error)")
    }
    let decoder = SyncDecoder()
    var whole = 0
    while let end = contents[whole...].firstIndex(of: UInt8(ascii: "\n")) {
      let message: SyncMessage
      do {
        message = try decoder.message(from: Data(contents[whole..<end]))
      } catch {
        throw JournalError(path: path, reason: "byte \(whole): \(error)")
      }
      guard case .event(let event) = message else {
        throw JournalError(path: path, reason: "byte \(whole): a \(message.name) is no event")
      }
      try take(event, end + 1 - whole)
      whole = end + 1
    }
    do {
      try handle.truncate(atOffset: UInt64(whole))
      try handle.seek(toOffset: UInt64(whole))
    } catch {
      throw JournalError(path: path, reason: "\(error)")
    }
  }

  /// - Throws: ``JournalError``; the event counts as not written.
  func append(_ line: Data) throws(JournalError) {
    do {
      try handle.write(contentsOf: line)
    } catch {
      throw JournalError(path: path, reason: "\(error)")
    }
  }
}

package struct JournalError: Error, Sendable, CustomStringConvertible {
  var path: String
  var reason: String

  package var description: String { "the journal \(path): \(reason)" }
}
