import CommandLineInterface
import FaultSearch
import Foundation

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
