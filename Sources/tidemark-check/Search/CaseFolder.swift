import CommandLineInterface
import FaultSearch
import Foundation

/// Where shrunk cases go; made when there is one.
struct CaseFolder {
  private let path: String

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

  func write(_ faultCase: FaultCase, _ divergence: Divergence) throws -> String {
    let bytes = CaseFile.write(faultCase, remarks: [divergence.description])
    // That it could not be made is told of the file in it.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let file = file(faultCase.seed)
    try OutputFile.write(bytes, to: file)
    return file
  }

  /// Reads a written case, from anywhere.
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

/// What a process that shrinks a case leaves behind, however it ends.
struct ShrinkingFolder: Sendable {
  let url: URL

  init(_ url: URL) {
    self.url = url
  }

  /// The case that is made smaller.
  var original: URL { url.appendingPathComponent("original") }
  /// The smallest that failed so far.
  var smallest: URL { url.appendingPathComponent("smallest") }
  /// The candidate that is being run.
  var tried: URL { url.appendingPathComponent("tried") }
  private var graves: URL { url.appendingPathComponent("fatal", isDirectory: true) }

  func make(_ faultCase: FaultCase) throws {
    TerminationSignals.add(draft: url.path)
    try FileManager.default.createDirectory(at: graves, withIntermediateDirectories: true)
    let text = Data(CaseFile.write(faultCase))
    for file in [original, smallest] { try text.write(to: file) }
  }

  func remove() {
    TerminationSignals.settle(draft: url.path) { try? FileManager.default.removeItem(at: url) }
  }

  /// Keeps the candidate that has just ended a process: it is the smallest that does.
  func noteFatal(_ number: Int) throws {
    let text = try Data(contentsOf: tried)
    try text.write(to: graves.appendingPathComponent("\(number)"))
    try text.write(to: smallest)
  }

  /// All candidates that have ended a process.
  func fatal() throws -> Set<Data> {
    let files = try FileManager.default.contentsOfDirectory(
      at: graves, includingPropertiesForKeys: nil)
    return Set(try files.map { try Data(contentsOf: $0) })
  }
}
