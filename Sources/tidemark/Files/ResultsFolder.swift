import CommandLineInterface
import Foundation
import Reporting
import ResultModel
import Text

/// A folder of results that `bench` wrote, read back for a report.
enum ResultsFolder {
  /// The largest file that is read, in bytes.
  private static let byteLimit = 1 << 28

  /// - Throws: ``CommandFailure`` where the folder holds no results, or a file of it cannot be read.
  static func load(_ folder: String) throws(CommandFailure) -> SavedResults {
    let title = FileKind.title(of: folder)
    guard let kind = FileKind.of(folder) else {
      throw CommandFailure(
        .input, "\(title): no such folder; make one with `tidemark bench`, as Reports/latest")
    }
    guard kind == .directory else {
      throw CommandFailure(.input, "\(title): not a folder; name the one that holds results.csv")
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
        "\(title): no results.csv is in it; make it with `tidemark bench --output "
          + "\(ShellWord.quoted(folder))`")
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

  /// The bytes of a file; `nil` where it is not there.
  private static func file(_ name: String, of folder: String) throws(CommandFailure) -> [UInt8]? {
    let path = "\(folder)/\(name)"
    guard FileKind.of(path) != nil else { return nil }
    return try InputFile.read(path, limit: byteLimit)
  }
}
