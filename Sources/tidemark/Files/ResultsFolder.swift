import Analysis
import CommandLineInterface
import Foundation
import Reporting
import ResultModel
import Text

/// Reads a folder of results written by `bench`, for a report.
enum ResultsFolder {
  /// The maximum size of a file, in bytes.
  private static let byteLimit = 1 << 28

  /// - Throws: ``CommandFailure`` if the folder has no results, or one of its files cannot be read.
  static func load(_ folder: String) throws(CommandFailure) -> SavedResults {
    let title = FileKind.title(of: folder)
    guard let kind = FileKind.of(folder) else {
      throw CommandFailure(
        .input, "\(title): no such folder; run `tidemark bench`, which writes Reports/latest")
    }
    guard kind == .directory else {
      throw CommandFailure(.input, "\(title): not a folder; name the folder with results.csv")
    }
    var results: SavedResults
    if let bytes = try file("results.csv", of: folder) {
      results = SavedResults(folder: folder, rows: try rows(bytes, "results.csv", folder))
      results.seeds = try rows(of: "seeds.csv", folder)
    } else if let bytes = try file(BaselineTable.fileName, of: folder) {
      let table = try reading(BaselineTable.fileName, folder) { () throws(CSVError) in
        try BaselineTable.read(bytes)
      }
      results = SavedResults(folder: folder, rows: table.means)
      results.seeds = table.rows
    } else {
      throw CommandFailure(
        .input,
        "\(title): no results.csv here; run `tidemark bench`, then "
          + "`tidemark report Reports/latest`")
    }
    results.latency = try rows(of: "latency.csv", folder)
    results.memory = try rows(of: "memory.csv", folder)
    if let bytes = try file("memory-levels.csv", of: folder) {
      results.levels = try reading("memory-levels.csv", folder) { () throws(CSVError) in
        try MemoryLevel.read(bytes)
      }
    }
    if let bytes = try file("timeline.csv", of: folder) {
      results.timeline = try reading("timeline.csv", folder) { () throws(CSVError) in
        try TimelineLine.read(bytes)
      }
    }
    if let bytes = try file("reads.csv", of: folder) {
      results.reads = try reading("reads.csv", folder) { () throws(CSVError) in
        try ReadTable.read(bytes)
      }
    }
    results.experiments = try experiments(of: folder)
    results.verdicts = try decoded("verdicts.json", folder)
    if let verdicts = results.verdicts, verdicts.verdictsVersion != SavedVerdicts.version {
      throw CommandFailure(
        .input,
        "\(title)/verdicts.json: version \(verdicts.verdictsVersion), and this build reads "
          + "\(SavedVerdicts.version); run `tidemark bench` again")
    }
    results.run = try decoded("manifest.json", folder)
    return results
  }

  private struct GateVerdict: Decodable {
    var verdictVersion: Int
    var measured: [SavedMeasurement]
  }

  private static func experiments(of folder: String) throws(CommandFailure) -> SavedExperiments {
    var experiments = SavedExperiments()
    if let bytes = try file("sensitivity.csv", of: folder) {
      experiments.sensitivity = try reading("sensitivity.csv", folder) { () throws(CSVError) in
        try SensitivityPoint.read(bytes)
      }
    }
    let verdict: GateVerdict? = try decoded("verdict.json", folder)
    experiments.measurements = verdict?.measured ?? []
    return experiments
  }

  private static func rows(
    of name: String, _ folder: String
  ) throws(CommandFailure) -> [ResultRow]? {
    guard let bytes = try file(name, of: folder) else { return nil }
    return try rows(bytes, name, folder)
  }

  private static func rows(
    _ bytes: [UInt8], _ name: String, _ folder: String
  ) throws(CommandFailure) -> [ResultRow] {
    let contents = try reading(name, folder) { () throws(CSVError) in try TidyTable.read(bytes) }
    if let version = contents.schemaVersion, version != ResultSchema.version {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: folder))/\(name): schema version \(version), and this build reads "
          + "\(ResultSchema.version); run `tidemark bench` again")
    }
    return contents.rows
  }

  private static func reading<Value>(
    _ name: String, _ folder: String, _ read: () throws(CSVError) -> Value
  ) throws(CommandFailure) -> Value {
    do {
      return try read()
    } catch {
      throw CommandFailure(
        .input, "\(FileKind.title(of: folder))/\(name): \(error); run `tidemark bench` again")
    }
  }

  private static func decoded<Value: Decodable>(
    _ name: String, _ folder: String
  ) throws(CommandFailure) -> Value? {
    guard let bytes = try file(name, of: folder) else { return nil }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return try decoder.decode(Value.self, from: Data(bytes))
    } catch {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: folder))/\(name): not as this version writes it; run `tidemark bench` "
          + "again")
    }
  }

  /// Returns the bytes of a file; `nil` if it does not exist.
  private static func file(_ name: String, of folder: String) throws(CommandFailure) -> [UInt8]? {
    let path = "\(folder)/\(name)"
    guard FileKind.of(path) != nil else { return nil }
    return try InputFile.read(path, limit: byteLimit)
  }
}

/// A folder of report files that is replaced atomically.
///
/// Everything is first written to an adjacent draft folder. The draft replaces the old folder only when all
/// of it is on disk, so that an error, a full disk or a kill leaves the previous report.
struct ReportFolder {
  /// The files of a report; a folder with any other file is not replaced.
  static let fileNames: Set<String> = [
    "policies.csv", "results.csv", "seeds.csv", "latency.csv", "memory.csv", "manifest.json",
    "report.txt", "verdicts.json", "memory-levels.csv", "timeline.csv", "reads.csv",
    "index.html",
    "comparison.html", BaselineTable.fileName, StoredCounts.fileName,
    // Files of earlier versions, whose folders are replaced too.
    "summary.csv",
  ]

  /// The experiments that a user adds to a report, by `sensitivity` and `gate`: a new report keeps them.
  static let keptNames = ["sensitivity.csv", "verdict.json"]

  private let path: String
  private let destination: URL

  /// - Throws: ``CommandFailure`` if no report can be written there; checked before any work.
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
    // Permissions do not show whether a file system is read-only, or managed by the system.
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
    if let foreign = entries.sorted().first(where: {
      !Self.fileNames.contains($0) && !Self.keptNames.contains($0)
    }) {
      throw failure("contains \(foreign), which is not a report's file and would be lost")
    }
  }

  /// - Throws: ``CommandFailure``; the previous report is then unchanged.
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
      for name in Self.keptNames {
        let former = destination.appendingPathComponent(name)
        guard manager.fileExists(atPath: former.path) else { continue }
        try manager.copyItem(at: former, to: draft.appendingPathComponent(name))
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

  /// Moves the draft to the destination, or leaves everything unchanged.
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

  /// Returns an unused name next to the destination.
  private func draft() -> URL {
    destination.deletingLastPathComponent()
      .appendingPathComponent(".\(destination.lastPathComponent).\(UUID().uuidString)")
  }

  private func failure(_ cause: String, remedy: String = "") -> CommandFailure {
    CommandFailure(.output, "\(path): \(cause); choose another folder with --output\(remedy)")
  }
}

enum TableFile {
  /// Reads the output of `simulate --outcomes`.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be read, is something else, or has no reads.
  static func reads(_ path: String) throws(CommandFailure) -> [ReadLine] {
    guard path == InputFile.standardInput || FileKind.of(path) != nil else {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: path)): no such file; `tidemark simulate SCENARIO --outcomes FILE` "
          + "writes one")
    }
    let bytes = try InputFile.read(path, limit: 1 << 28)
    let reads: [ReadLine]
    do throws(CSVError) {
      reads = try ReadTable.read(bytes)
    } catch {
      let cause = if case .header = error.cause { "not a table of reads" } else { "\(error)" }
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: path)): \(cause); name a file that `tidemark simulate --outcomes FILE` "
          + "wrote")
    }
    guard !reads.isEmpty else {
      throw CommandFailure(
        .input, "\(FileKind.title(of: path)): it has no reads; write it again")
    }
    return reads
  }
}
