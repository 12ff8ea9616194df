import CommandLineInterface
import Foundation
import Reporting

/// A folder of report files that is replaced whole or not at all.
///
/// Everything is written to a folder beside it first; only when all of it is on disk does the new one
/// take the old one's place, so that an error, a full disk or a kill leaves the previous report.
struct ReportFolder {
  /// The files that a report may hold; a folder with anything else is not ours to replace.
  static let fileNames: Set<String> = [
    "policies.csv", "results.csv", "seeds.csv", "latency.csv", "memory.csv", "manifest.json",
    "report.txt", "verdicts.json", "memory-levels.csv", "timeline.csv", "index.html",
    "comparison.html", BaselineTable.fileName, StoredCounts.fileName,
    // Of former versions, whose folders are replaced too.
    "summary.csv",
  ]

  /// As the user wrote it.
  private let path: String
  private let destination: URL

  /// - Throws: ``CommandFailure`` where no report could ever be written there; asked before the work.
  init(_ path: String) throws(CommandFailure) {
    self.path = FileKind.title(of: path)
    destination = URL(fileURLWithPath: path).standardizedFileURL
    let manager = FileManager.default
    let parent = destination.deletingLastPathComponent()
    do {
      try manager.createDirectory(at: parent, withIntermediateDirectories: true)
    } catch {
      throw failure("its parent folder cannot be made: \(SystemReason.text(of: error))")
    }
    // Asking for permission would not tell of a file system that is read-only or made by the system.
    do {
      let probe = draft()
      try TerminationSignals.settle(draft: probe.path) {
        try manager.createDirectory(at: probe, withIntermediateDirectories: false)
        try manager.removeItem(at: probe)
      }
    } catch {
      throw failure("its parent folder cannot be written to: \(SystemReason.text(of: error))")
    }
    var isFolder: ObjCBool = false
    guard manager.fileExists(atPath: destination.path, isDirectory: &isFolder) else { return }
    guard isFolder.boolValue else { throw failure("a file of that name is there") }
    let entries = (try? manager.contentsOfDirectory(atPath: destination.path)) ?? []
    if let foreign = entries.sorted().first(where: { !Self.fileNames.contains($0) }) {
      throw failure("it holds \(foreign), which is no file of a report, and would be lost")
    }
  }

  /// - Throws: ``CommandFailure``; the previous report is then as it was.
  func replace(with files: [(name: String, bytes: [UInt8])]) throws(CommandFailure) {
    let manager = FileManager.default
    let draft = draft()
    let former = draft.appendingPathExtension("former")
    TerminationSignals.add(draft: draft.path)
    do {
      try manager.createDirectory(at: draft, withIntermediateDirectories: false)
      for file in files {
        precondition(Self.fileNames.contains(file.name), "\(file.name) is no file of a report")
        try FileWriter.write(file.bytes, to: draft.appendingPathComponent(file.name).path)
      }
      try TerminationSignals.settle(draft: draft.path, leaving: former.path) {
        try exchange(draft, keeping: former)
      }
    } catch {
      TerminationSignals.settle(draft: draft.path) { try? manager.removeItem(at: draft) }
      throw failure(
        "\(SystemReason.text(of: error)); the previous report, if any, is as it was",
        remedy: ", or make room")
    }
    TerminationSignals.settle(draft: former.path) { try? manager.removeItem(at: former) }
  }

  /// Puts the draft in the destination's place, or leaves everything as it was.
  private func exchange(_ draft: URL, keeping former: URL) throws {
    let manager = FileManager.default
    let replaces = manager.fileExists(atPath: destination.path)
    if replaces { try manager.moveItem(at: destination, to: former) }
    do {
      try manager.moveItem(at: draft, to: destination)
    } catch {
      if replaces { try manager.moveItem(at: former, to: destination) }
      throw error
    }
  }

  /// A name beside the destination that is not taken.
  private func draft() -> URL {
    destination.deletingLastPathComponent()
      .appendingPathComponent(".\(destination.lastPathComponent).\(UUID().uuidString)")
  }

  private func failure(_ cause: String, remedy: String = "") -> CommandFailure {
    CommandFailure(.output, "\(path): \(cause); choose another folder with --output\(remedy)")
  }
}
