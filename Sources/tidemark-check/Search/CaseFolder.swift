import CommandLineInterface
import FaultSearch
import Foundation

/// Where shrunk cases go; made when there is one.
struct CaseFolder {
  private let path: String

  /// - Throws: ``CommandFailure`` where nothing could be written there; asked before the work.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    switch FileKind.of(path) {
    case .directory: try OutputFile.check(file(0))
    case nil: try tryToMake()
    case .file, .other: throw failure("is there, and is no directory")
    }
  }

  /// Tries the first of the missing directories.
  private func tryToMake() throws(CommandFailure) {
    var missing = URL(fileURLWithPath: path).standardizedFileURL
    while FileKind.of(missing.deletingLastPathComponent().path) == nil {
      missing.deleteLastPathComponent()
    }
    do throws(FileWriter.Failure) {
      try FileWriter.tryDirectory(missing.path)
    } catch {
      throw failure("cannot be made: \(error)")
    }
  }

  private func failure(_ cause: String) -> CommandFailure {
    CommandFailure(.output, "\(path): \(cause); choose another directory with --output")
  }

  /// - Throws: ``CommandFailure`` where the file cannot be written.
  /// - Returns: the path of the file.
  func write(_ faultCase: FaultCase, _ divergence: Divergence) throws -> String {
    let bytes = CaseFile.write(faultCase, remarks: [divergence.description])
    // That it could not be made is told of the file in it.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let file = file(faultCase.seed)
    try OutputFile.write(bytes, to: file)
    return file
  }

  /// Reads a written case, from anywhere.
  ///
  /// - Throws: ``CommandFailure`` where it cannot be read.
  static func read(_ path: String) throws -> FaultCase {
    let bytes = try InputFile.read(path, limit: CaseFile.sizeLimit)
    do throws(CaseError) {
      return try CaseFile.read(bytes)
    } catch {
      throw CommandFailure(.input, error.text(in: path))
    }
  }

  private func file(_ seed: UInt64) -> String {
    let name = "seed-\(seed).case"
    return path == "." ? name : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }
}
