import Analysis
import CommandLineInterface
import Foundation
import Reporting
import ResultModel
import Text

/// A report that was written to a folder earlier.
enum StoredReport {
  /// The largest file that is read, in bytes.
  private static let byteLimit = 1 << 28

  private struct StoredManifest: Decodable {
    var scenarios: [StoredScenario]
  }

  private struct StoredScenario: Decodable {
    var scenario: String
    var recorded: Bool
    var workload: [String: String]
    var contenders: [String: String]

    /// In the order of the paths: an object of JSON has none.
    var identity: ScenarioIdentity {
      func fields(_ object: [String: String]) -> [ScenarioIdentity.Field] {
        object.sorted { $0.key < $1.key }.map { ScenarioIdentity.Field($0.key, $0.value) }
      }
      return ScenarioIdentity(
        scenario: scenario, workload: fields(workload), contenders: fields(contenders),
        isRecorded: recorded)
    }
  }

  /// - Throws: ``CommandFailure`` with the given status where the folder holds no report that can be
  ///   read.
  static func load(
    _ folder: String, failing status: ExitStatus
  ) throws(CommandFailure) -> ResultSet {
    let usualFolder = GateCommand.usualBaseline
    let remedy =
      switch status {
      case .baseline where folder == usualFolder: "make one with `make baseline`"
      case .baseline:
        "make one with `tidemark bench --baseline --output \(folder)`, as `make baseline` does for "
          + usualFolder
      default: "make one with `tidemark bench`"
      }
    func failure(_ file: String, _ cause: String) -> CommandFailure {
      CommandFailure(status, "\(folder)/\(file): \(cause); \(remedy)")
    }
    func bytes(_ file: String) throws(CommandFailure) -> [UInt8] {
      do {
        return try InputFile.read("\(folder)/\(file)", limit: byteLimit)
      } catch {
        throw CommandFailure(status, "\(error.message); \(remedy)")
      }
    }
    let table: TidyTable.Contents
    do {
      table = try TidyTable.read(try bytes("results.csv"))
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw failure("results.csv", "\(error)")
    }
    guard
      let manifest = try? JSONDecoder().decode(
        StoredManifest.self, from: Data(try bytes("manifest.json")))
    else { throw failure("manifest.json", "not a manifest of this version") }
    return ResultSet(
      schemaVersion: table.schemaVersion,
      scenarios: manifest.scenarios.map(\.identity), rows: table.rows)
  }
}
