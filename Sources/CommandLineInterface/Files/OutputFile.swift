package import Foundation

/// The destination of a single result: a file that is replaced atomically, or standard output.
package enum OutputFile {
  /// - Throws: ``CommandFailure``; the previous content is then unchanged.
  package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    guard path != "-" else {
      try Console.write(bytes)
      return
    }
    do throws(FileWriter.Failure) {
      try FileWriter.replace(path, with: bytes)
    } catch {
      throw failure(path, error)
    }
  }

  /// Writes the output of `body` piece by piece.
  ///
  /// - Throws: ``CommandFailure``, or the error of `body`; a file's previous content is then unchanged.
  package static func write(
    to path: String, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    guard path != "-" else {
      try body { try Console.write($0) }
      return
    }
    do {
      try FileWriter.replace(path, by: body)
    } catch let failure as FileWriter.Failure {
      throw Self.failure(path, failure)
    }
  }

  /// Checks before the work that its result can be written.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - inputs: the paths that the command reads, which it must not replace; other words are no harm.
  /// - Throws: ``CommandFailure`` if no result could be written there.
  package static func check(
    _ path: String, reading inputs: [String] = []
  ) throws(CommandFailure) {
    guard path != "-" else { return }
    try checkApart([path], reading: inputs)
    do throws(FileWriter.Failure) {
      try FileWriter.check(path)
    } catch {
      throw failure(path, error)
    }
  }

  /// Checks that no output would replace a file that the command reads, or another output.
  ///
  /// - Parameters:
  ///   - outputs: the files to write; standard output is no file.
  ///   - inputs: the paths that the command reads; other words are no harm.
  /// - Throws: ``CommandFailure`` if one would.
  package static func checkApart(
    _ outputs: [String], reading inputs: [String] = []
  ) throws(CommandFailure) {
    func place(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
    let files = outputs.filter { $0 != "-" }
    for (index, path) in files.enumerated() {
      let title = FileKind.title(of: path)
      guard !inputs.contains(where: { FileKind.isSameFile($0, path) }) else {
        throw CommandFailure(
          .input, "\(title): is read, and would be replaced; choose another file")
      }
      guard
        !files[..<index].contains(where: {
          place($0) == place(path) || FileKind.isSameFile($0, path)
        })
      else {
        throw CommandFailure(.input, "\(title): is named for two outputs; choose another file")
      }
    }
  }

  /// Creates the folder of an output file, if necessary.
  package static func makeFolder(of path: String) throws(CommandFailure) {
    guard path != "-" else { return }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(
        .output,
        "\(FileKind.title(of: path)): its folder cannot be made: \(SystemReason.text(of: error)); "
          + "choose another file")
    }
  }

  private static func failure(_ path: String, _ reason: FileWriter.Failure) -> CommandFailure {
    CommandFailure(
      .output, "\(FileKind.title(of: path)): not written: \(reason); \(reason.remedy)")
  }
}

/// The folder for transcripts of caches that violate a rule.
package struct TranscriptFolder {
  private let path: String

  /// Creates the folder if necessary, and checks that files can be written to it.
  ///
  /// - Throws: ``CommandFailure`` if they cannot.
  package init(_ path: String) throws {
    self.path = path
    if FileKind.of(path) == nil {
      do {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true)
      } catch {
        throw CommandFailure(
          .output, "\(path): cannot be made: \(SystemReason.text(of: error)); choose another folder"
        )
      }
    }
    guard FileKind.of(path) == .directory else {
      throw CommandFailure(
        .output, "\(path): is not a folder; choose another")
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

/// A folder for temporary files, which is removed if a signal ends the process.
package struct TemporaryFolder: Sendable {
  package let url: URL
  private let parent: String?

  /// Chooses an unused name; ``make()`` creates the folder.
  ///
  /// - Parameters:
  ///   - purpose: a short word, since socket paths are limited.
  ///   - parent: the parent folder, created if necessary; `nil`: the system's temporary folder.
  package init(for purpose: String, in parent: String? = nil) {
    self.parent = parent
    url =
      (parent.map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.temporaryDirectory)
      .appendingPathComponent("\(Self.prefix)\(purpose)-\(UUID().uuidString.prefix(8))")
  }

  private static let prefix = "tidemark-"

  package func make() throws(CommandFailure) {
    TerminationSignals.add(draft: url.path)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: parent != nil, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(
        .output,
        "\(url.path): cannot be made: \(SystemReason.text(of: error)); check the folder above")
    }
  }

  package func path(of file: String) -> String { url.appendingPathComponent(file).path }

  package func remove() {
    TerminationSignals.settle(draft: url.path) { Self.remove(url.path) }
  }

  /// Removes the folder of a run, whichever process created it, and nothing else.
  package static func remove(_ path: String) {
    guard URL(fileURLWithPath: path).lastPathComponent.hasPrefix(prefix) else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}

/// The files with which the lab passes a whole measurement to `tidemark bench`.
package enum LabFile: String, CaseIterable {
  case latency = "latency.rows"
  case memory = "memory.rows"
  case targets = "targets.rows"
}
