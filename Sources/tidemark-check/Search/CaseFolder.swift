import CommandLineInterface
import FaultSearch
import Foundation

/// The folder for shrunk cases; created for the first one.
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

  /// Tries to create the first of the missing directories.
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
    // Writing the file in it reports a failure to create it.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let file = file(faultCase.seed)
    try OutputFile.write(bytes, to: file)
    return file
  }

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

/// The files of a process that shrinks a case, which remain after a crash.
struct ShrinkingFolder: Sendable {
  let url: URL

  init(_ url: URL) {
    self.url = url
  }

  /// The case to shrink.
  var original: URL { url.appendingPathComponent("original") }
  var smallest: URL { url.appendingPathComponent("smallest") }
  /// The present candidate.
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

  /// Stores the candidate that has just crashed a process: it is the smallest one so far.
  func noteFatal(_ number: Int) throws {
    let text = try Data(contentsOf: tried)
    try text.write(to: graves.appendingPathComponent("\(number)"))
    try text.write(to: smallest)
  }

  /// Returns all candidates that have crashed a process.
  func fatal() throws -> Set<Data> {
    let files = try FileManager.default.contentsOfDirectory(
      at: graves, includingPropertiesForKeys: nil)
    return Set(try files.map { try Data(contentsOf: $0) })
  }
}
