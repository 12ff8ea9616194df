import Foundation

/// Files and standard input, read whole within a limit or piece by piece.
enum InputFile {
  /// Standard input's name on the command line.
  static let standardInput = "-"

  /// - Throws: ``CommandFailure`` where the file cannot be read or is larger than the limit.
  static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachChunk(of: path) { chunk throws(CommandFailure) in
      guard bytes.count + chunk.count <= limit else {
        throw CommandFailure(
          .input, "\(path): larger than the limit of \(limit) bytes; split it or make it smaller")
      }
      bytes += chunk
    }
    return bytes
  }

  /// Hands over a file, or standard input, in pieces.
  ///
  /// - Throws: ``CommandFailure`` where it cannot be read, and what `body` throws.
  static func forEachChunk(
    of path: String, _ body: ([UInt8]) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    let handle: FileHandle
    if path == standardInput {
      handle = .standardInput
    } else if let opened = FileHandle(forReadingAtPath: path), !isFolder(path) {
      handle = opened
    } else {
      throw CommandFailure(
        .input, "\(path): no file that can be read is there; check the path and its permissions")
    }
    while true {
      let chunk: [UInt8]
      do {
        guard let data = try handle.read(upToCount: chunkBytes), !data.isEmpty else { return }
        chunk = [UInt8](data)
      } catch {
        throw CommandFailure(.input, "\(path): \(SystemReason.text(of: error))")
      }
      try body(chunk)
    }
  }

  /// Hands over a file, mapped into memory, or standard input, in pieces.
  ///
  /// - Throws: ``CommandFailure`` where it cannot be read, and what `body` throws.
  static func forEachSpan(of path: String, _ body: (Span<UInt8>) throws -> Void) throws {
    guard path != standardInput, isRegularFile(path) else {
      try forEachChunk(of: path) { chunk throws(CommandFailure) in
        do {
          try body(chunk.span)
        } catch let failure as CommandFailure {
          throw failure
        } catch {
          throw CommandFailure(.input, "\(path): \(error)")
        }
      }
      return
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    } catch {
      throw CommandFailure(
        .input, "\(path): no file that can be read is there; check the path and its permissions")
    }
    let span = data.span
    for start in stride(from: 0, to: span.count, by: chunkBytes) {
      try body(span.extracting(start..<min(start + chunkBytes, span.count)))
    }
  }

  /// The length of a file in bytes; `nil` for standard input, a pipe or a device.
  static func size(of path: String) -> Int? {
    guard path != standardInput, isRegularFile(path) else { return nil }
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    return attributes?[.size] as? Int
  }

  private static func isRegularFile(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  private static let chunkBytes = 1 << 20

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}
