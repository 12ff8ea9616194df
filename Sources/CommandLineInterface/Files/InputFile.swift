import Foundation
import Text
import Workloads

/// Reads files and standard input, as a whole within a limit or piece by piece.
///
/// Compressed files, and text in another encoding, are rejected by name: their raw bytes would otherwise give
/// a result. A byte order mark before UTF-8 is not part of the text.
package enum InputFile {
  /// The name of standard input on the command line.
  package static let standardInput = "-"

  /// - Parameters:
  ///   - path: the file, or ``standardInput``.
  ///   - limit: the maximum number of bytes.
  ///   - command: the command that reads it, if it can read standard input instead.
  /// - Returns: all bytes of the text.
  /// - Throws: ``CommandFailure`` if the file cannot be read, is compressed, is not UTF-8 by its byte order
  ///   mark, or exceeds the limit.
  package static func read(
    _ path: String, limit: Int, command: String? = nil
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachChunk(of: path, isText: true, command: command) { chunk throws(CommandFailure) in
      guard bytes.count + chunk.count <= limit else {
        throw CommandFailure(
          .input,
          "\(title(of: path)): larger than the limit of \(limit) bytes; split it or make it smaller"
        )
      }
      bytes += chunk
    }
    return bytes
  }

  /// Calls `body` with a memory-mapped file, or with pieces of standard input.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be read, is compressed or, if text is expected, is not UTF-8
  ///   by its byte order mark; and the error of `body`.
  package static func forEachSpan(
    of path: String, isText: Bool, command: String? = nil, _ body: (Span<UInt8>) throws -> Void
  ) throws {
    let mapped: Void? = try withSpan(of: path, isText: isText, command: command) { span in
      for start in stride(from: 0, to: span.count, by: chunkBytes) {
        try body(span.extracting(start..<min(start + chunkBytes, span.count)))
      }
    }
    guard mapped == nil else { return }
    try forEachChunk(of: path, isText: isText, command: command) { chunk throws(CommandFailure) in
      do {
        try body(chunk.span)
      } catch let failure as CommandFailure {
        throw failure
      } catch {
        throw CommandFailure(.input, "\(title(of: path)): \(error)")
      }
    }
  }

  /// Hands over a file whole, mapped into memory.
  ///
  /// - Returns: what `body` returns; `nil` for standard input, a pipe or a device, which cannot be mapped.
  /// - Throws: as ``forEachSpan(of:isText:command:_:)``.
  package static func withSpan<Result>(
    of path: String, isText: Bool, command: String? = nil, _ body: (Span<UInt8>) throws -> Result
  ) throws -> Result? {
    guard path != standardInput, FileKind.of(path) == .file else { return nil }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    } catch {
      throw unreadable(path)
    }
    let head = [UInt8](data.prefix(CompressedForm.headBytes))
    let begin = try start(of: head, isText: isText, path, command: command)
    return try body(data.span.extracting(begin..<data.count))
  }

  private static let chunkBytes = 1 << 20

  /// Calls `body` with pieces of a file, or standard input, the first long enough to detect compression.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be read, is compressed or, if text is expected, is not UTF-8
  ///   by its byte order mark; and the error of `body`.
  package static func forEachChunk(
    of path: String, isText: Bool, command: String?,
    _ body: ([UInt8]) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    let handle: FileHandle
    if path == standardInput {
      handle = .standardInput
    } else if FileKind.of(path) != .directory, let opened = FileHandle(forReadingAtPath: path) {
      handle = opened
    } else {
      throw unreadable(path)
    }
    var isHead = true
    var chunk: [UInt8] = []
    while true {
      let piece = try nextPiece(of: handle, path)
      chunk += piece
      // A pipe may deliver single bytes.
      if isHead, !piece.isEmpty, chunk.count < CompressedForm.headBytes { continue }
      if isHead {
        chunk.removeFirst(try start(of: chunk, isText: isText, path, command: command))
        isHead = false
      }
      if !chunk.isEmpty { try body(chunk) }
      if piece.isEmpty { return }
      chunk.removeAll()
    }
  }

  /// Returns the beginning of the content, after checking the first bytes.
  private static func start(
    of head: [UInt8], isText: Bool, _ path: String, command: String?
  ) throws(CommandFailure) -> Int {
    if let form = CompressedForm(head: head) { throw form.refusal(of: path, command: command) }
    guard isText else { return 0 }
    do throws(ForeignEncoding) {
      return try ByteOrderMark.length(in: head)
    } catch {
      throw CommandFailure(.input, "\(title(of: path)): \(error)")
    }
  }

  /// Returns the next piece; empty at the end.
  private static func nextPiece(
    of handle: FileHandle, _ path: String
  ) throws(CommandFailure) -> [UInt8] {
    do {
      return [UInt8](try handle.read(upToCount: chunkBytes) ?? Data())
    } catch {
      throw CommandFailure(.input, "\(title(of: path)): \(SystemReason.text(of: error))")
    }
  }

  /// Returns the name for messages.
  package static func title(of path: String) -> String {
    path == standardInput ? "standard input" : FileKind.title(of: path)
  }

  private static func unreadable(_ path: String) -> CommandFailure {
    guard FileKind.of(path) != .directory else {
      return CommandFailure(
        .input, "\(path): is a directory, and a file is needed; name a file in it")
    }
    let isMissing = FileKind.of(path) == nil
    let remedy = isMissing ? nearest(to: path).map { "did you mean \"\($0)\"?" } : nil
    return CommandFailure(
      .input,
      "\(title(of: path)): \(isMissing ? "no such file" : "cannot be read"); "
        + (remedy ?? (isMissing ? "check the path" : "check its permissions")))
  }

  /// Returns the file that was probably meant: of the same kind, in the same folder or among the scenarios.
  private static func nearest(to path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    let folder =
      path.contains("/") ? String(path.prefix(path.count - url.lastPathComponent.count)) : ""
    for folder in [folder, folder + ScenarioFile.folder + "/"] {
      let entries =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
      let own = entries.sorted().filter { $0.hasSuffix("." + url.pathExtension) }
      if let name = NearestName.suggestion(for: url.lastPathComponent, among: own) {
        return folder + name
      }
    }
    return nil
  }
}

/// A compression format, detected by its first bytes; named after the tool that decompresses it.
///
/// Sources: RFC 1952; the .xz file format 1.2.1; RFC 8878; bzip2's `compress.c`.
package enum CompressedForm: String {
  case gzip, xz, zstd, bzip2

  /// The number of bytes needed to detect any format.
  package static let headBytes = 10

  /// Creates the format; `nil` if the bytes are in none of them.
  ///
  /// - Parameter head: the first ``headBytes`` of a file; fewer only for a shorter one.
  package init?(head: some Collection<UInt8>) {
    let head = Array(head.prefix(Self.headBytes))
    func begins(_ magic: [UInt8]) -> Bool { head.starts(with: magic) }
    // Three of gzip's flags are reserved: a numeric trace with the same first bytes is not compressed.
    if begins([0x1F, 0x8B, 0x08]), head.count < 4 || head[3] & 0xE0 == 0 {
      self = .gzip
    } else if begins([0xFD] + "7zXZ\u{0}".utf8) {
      self = .xz
    } else if begins([0x28, 0xB5, 0x2F, 0xFD]) || Self.isSkippableFrame(head) {
      self = .zstd
    } else if begins(Array("BZh".utf8)), Self.bzip2Blocks.contains(Array(head.dropFirst(4))) {
      self = .bzip2
    } else {
      return nil
    }
  }

  /// The bytes after `BZh` and a digit: the first block, or the end of an empty file.
  private static let bzip2Blocks: [[UInt8]] = [
    [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
  ]

  /// Returns whether it is a skippable frame, with which multi-threaded zstd files begin.
  private static func isSkippableFrame(_ head: [UInt8]) -> Bool {
    head.count > 3 && head[0] & 0xF0 == 0x50 && head[1...3].elementsEqual([0x2A, 0x4D, 0x18])
  }

  private var suffix: String {
    switch self {
    case .gzip: ".gz"
    case .xz: ".xz"
    case .zstd: ".zst"
    case .bzip2: ".bz2"
    }
  }

  /// Returns the name without a compression extension; `nil` if it has none.
  package static func plainName(of path: String) -> String? {
    [gzip, xz, zstd, bzip2].map(\.suffix).first { path.hasSuffix($0) }
      .map { String(path.dropLast($0.count)) }
  }

  /// Returns why a file is rejected, and the fix.
  ///
  /// - Parameters:
  ///   - path: the file, or `-` for standard input.
  ///   - command: the command that reads it, if it can read standard input instead.
  /// - Returns: the failure.
  package func refusal(of path: String, command: String?) -> CommandFailure {
    let decompress = "\(rawValue) -dc"
    let title = InputFile.title(of: path)
    if path == InputFile.standardInput {
      return CommandFailure(
        .input,
        "\(title): compressed with \(rawValue); decompress it before the pipe: "
          + "… | \(decompress) | tidemark \(command ?? "…") - …")
    }
    let word = ShellWord.quoted(path)
    let remedy =
      if let command {
        "decompress it on the way: \(decompress) \(word) | tidemark \(command) - …"
      } else {
        "decompress it first: \(decompress) \(word) > "
          + ShellWord.quoted(Self.plainName(of: path) ?? "\(path).plain")
      }
    return CommandFailure(.input, "\(title): compressed with \(rawValue); \(remedy)")
  }
}
