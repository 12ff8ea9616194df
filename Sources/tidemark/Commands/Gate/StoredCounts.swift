import CommandLineInterface
import Foundation
import Reporting
import ResultModel

/// The counts of a baseline, and under what they were made.
struct StoredCounts {
  /// The file beside `results.csv`.
  static let fileName = "counts.csv"

  var rows: [ResultRow]
  var conditions: CountConditions

  private struct StoredManifest: Decodable {
    var toolchain: [String: String]
  }

  /// - Returns: `nil` where the baseline has no such file.
  /// - Throws: ``CommandFailure`` of `baseline` where what is there cannot be read.
  static func load(_ folder: String) throws(CommandFailure) -> StoredCounts? {
    let path = "\(folder)/\(fileName)"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    func failure(_ file: String, _ cause: String) -> CommandFailure {
      CommandFailure(
        .baseline, "\(folder)/\(file): \(cause); make the baseline again with `make baseline`")
    }
    let table: TidyTable.Contents
    do {
      table = try TidyTable.read(try InputFile.read(path, limit: byteLimit))
    } catch {
      throw failure(fileName, "\(error)")
    }
    guard
      let bytes = try? InputFile.read("\(folder)/manifest.json", limit: byteLimit),
      let manifest = try? JSONDecoder().decode(StoredManifest.self, from: Data(bytes))
    else { throw failure("manifest.json", "not a manifest of this version") }
    let facts = manifest.toolchain.sorted { $0.key < $1.key }
      .filter { CountConditions.names.contains($0.key) }
      .map { Manifest.Fact($0.key, $0.value) }
    return StoredCounts(rows: table.rows, conditions: CountConditions(facts: facts))
  }

  private static let byteLimit = 1 << 24
}
