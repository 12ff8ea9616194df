import Analysis
import CommandLineInterface
import Foundation
import Reporting
import ResultModel

/// Loads a gate's input from a folder written earlier: a baseline, or a candidate's rows of every seed.
enum StoredReport {
  /// The files of a folder that a gate may read.
  static let fileNames = [
    "manifest.json", BaselineTable.fileName, "seeds.csv", StoredCounts.fileName,
  ]

  /// The maximum size of a file, in bytes.
  private static let byteLimit = 1 << 28

  private struct StoredManifest: Decodable {
    var schemaVersion: Int
    var scenarios: [StoredScenario]

    private enum CodingKeys: String, CodingKey {
      case scenarios
      case schemaVersion = "schema_version"
    }
  }

  private struct StoredScenario: Decodable {
    var scenario: String
    var policies: [String]
    var recorded: Bool
    var workload: [String: String]
    var contenders: [String: String]

    /// In the order of the paths, since a JSON object has no order.
    var identity: ScenarioIdentity {
      func fields(_ object: [String: String]) -> [ScenarioIdentity.Field] {
        object.sorted { $0.key < $1.key }.map { ScenarioIdentity.Field($0.key, $0.value) }
      }
      return ScenarioIdentity(
        scenario: scenario, workload: fields(workload), contenders: fields(contenders),
        isRecorded: recorded)
    }
  }

  /// - Throws: ``CommandFailure`` with the given status and remedy if the folder has nothing to compare, or
  ///   lacks files of its manifest.
  static func load(
    _ folder: String, failing status: ExitStatus, remedy: String
  ) throws(CommandFailure) -> ResultSet {
    func failure(_ file: String, _ cause: String) -> CommandFailure {
      CommandFailure(status, "\(folder)/\(file): \(cause); \(remedy)")
    }
    guard FileKind.of(folder) ?? .directory == .directory else {
      throw CommandFailure(
        status, "\(folder): is a file; name the folder that `tidemark bench --baseline` wrote")
    }
    func bytes(_ file: String) throws(CommandFailure) -> [UInt8] {
      guard FileKind.of("\(folder)/\(file)") != nil else { throw failure(file, "no such file") }
      do {
        return try InputFile.read("\(folder)/\(file)", limit: byteLimit)
      } catch {
        throw CommandFailure(status, "\(error.message); \(remedy)")
      }
    }
    let hasRows = status != .baseline && FileKind.of("\(folder)/seeds.csv") != nil
    let file = hasRows ? "seeds.csv" : BaselineTable.fileName
    var set = ResultSet(scenarios: [], rows: [])
    do {
      if hasRows {
        set.rows = try TidyTable.read(try bytes(file)).rows
        set.digests = RunDigest.all(of: set.rows)
      } else {
        let table = try BaselineTable.read(try bytes(file))
        set.rows = table.rows
        set.digests = table.runs.map(\.digest)
      }
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw failure(file, "\(error)")
    }
    guard
      let manifest = try? JSONDecoder().decode(
        StoredManifest.self, from: Data(try bytes("manifest.json")))
    else { throw failure("manifest.json", "not a manifest of this version") }
    set.schemaVersion = manifest.schemaVersion
    set.scenarios = manifest.scenarios.map(\.identity)
    let known = Set(
      set.digests.map { ContenderIdentity(scenario: $0.scenario, policy: $0.policy) })
    for scenario in manifest.scenarios {
      for policy in scenario.policies
      where !known.contains(ContenderIdentity(scenario: scenario.scenario, policy: policy)) {
        throw failure(
          file, "\(scenario.scenario)/\(policy) is not in it, and manifest.json names it")
      }
    }
    return set
  }
}

struct StoredCounts {
  /// The file next to `results.csv`.
  static let fileName = "counts.csv"

  var rows: [ResultRow]
  var conditions: CountConditions

  private struct StoredManifest: Decodable {
    var toolchain: [String: String]
  }

  /// - Returns: `nil` if the baseline was made without counts.
  /// - Throws: ``CommandFailure`` of `baseline` if the file cannot be read, or lacks what the manifest names.
  static func load(_ folder: String) throws(CommandFailure) -> StoredCounts? {
    let path = "\(folder)/\(fileName)"
    func failure(_ file: String, _ cause: String) -> CommandFailure {
      CommandFailure(
        .baseline,
        "\(folder)/\(file): \(cause); make the baseline again: tidemark bench --baseline --counts")
    }
    let manifest = (try? InputFile.read("\(folder)/manifest.json", limit: byteLimit))
      .flatMap { try? JSONDecoder().decode(StoredManifest.self, from: Data($0)) }
    let facts = (manifest?.toolchain ?? [:]).sorted { $0.key < $1.key }
      .filter { CountConditions.names.contains($0.key) }
      .map { Manifest.Fact($0.key, $0.value) }
    guard FileManager.default.fileExists(atPath: path) else {
      guard facts.isEmpty else {
        throw failure(fileName, "no such file, and manifest.json has the conditions of its counts")
      }
      return nil
    }
    let table: TidyTable.Contents
    do {
      table = try TidyTable.read(try InputFile.read(path, limit: byteLimit))
    } catch {
      throw failure(fileName, "\(error)")
    }
    guard !table.rows.isEmpty else { throw failure(fileName, "it has no counts") }
    guard manifest != nil else { throw failure("manifest.json", "not a manifest of this version") }
    return StoredCounts(rows: table.rows, conditions: CountConditions(facts: facts))
  }

  private static let byteLimit = 1 << 24
}
