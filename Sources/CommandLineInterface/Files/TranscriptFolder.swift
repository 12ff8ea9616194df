import Foundation

/// Where the lines go that were told to a cache that did wrong.
package struct TranscriptFolder {
  private let path: String

  /// Makes the folder where it is not there, and makes sure that files can be written to it.
  ///
  /// - Throws: ``CommandFailure`` where they cannot.
  package init(_ path: String) throws {
    self.path = path
    if FileKind.of(path) == nil {
      do {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true)
      } catch {
        throw CommandFailure(
          .output, "\(path): cannot be made: \(error.localizedDescription); choose another folder")
      }
    }
    guard FileKind.of(path) == .directory else {
      throw CommandFailure(
        .output, "\(path): is there, and is no directory; choose another folder")
    }
    try OutputFile.check("\(path)/start-1.jsonl")
  }

  /// Writes a file, and returns its path.
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try OutputFile.write(bytes, to: file)
    return file
  }
}
