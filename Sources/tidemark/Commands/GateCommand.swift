import Analysis
import ArgumentParser
import Foundation
import Metrics
import Reporting
import Workloads

struct GateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Compare exact metrics with the committed baseline, and judge the targets.",
    discussion: """
      Simulates the scenarios of the baseline anew, or takes the report of --candidate. Exits 0 if \
      nothing got worse, 1 if something did, 3 if the baseline does not fit, 4 if data are missing. \
      A target that the baseline missed too is reported and is no failure. The same is in \
      verdict.json.
      """)

  @Argument(
    help: ArgumentHelp(
      "Names in Scenarios/, or paths of scenario files; default: all of Scenarios/.",
      valueName: "SCENARIO"))
  var scenarios: [String] = []

  @Option(help: ArgumentHelp("The folder of the baseline.", valueName: "DIR"))
  var baseline = usualBaseline

  /// The folder that `make baseline` writes.
  static let usualBaseline = "Reports/baseline"

  @Option(
    help: ArgumentHelp(
      "Judge the report in this folder; default: simulate now.", valueName: "DIR"))
  var candidate: String?

  @Option(help: ArgumentHelp("The file of the verdict.", valueName: "FILE"))
  var verdict = "Reports/verdict.json"

  func run() async throws {
    let files = try ScenarioFile.load(scenarios)
    let names = Set(files.map(\.scenario.name))
    // A verdict of an earlier run must not be read as this one's.
    FileWriter.removeFile(verdict)
    let committed = try committedBaseline().restricted(to: names)
    try OutputFile.check(verdict)
    let progress = Progress("gate")
    let measured: ResultSet
    var targets: [Target] = []
    if let candidate {
      measured = try StoredReport.load(candidate, failing: .data).restricted(to: names)
      for file in files { targets += file.targets(for: try file.contestants([])) }
    } else {
      let fields = try files.map { (Session($0), try $0.contestants([])) }
      let simulated = try await Verdicts.run(
        fields.map { session, contestants in
          session.comparison(
            of: contestants, seed: nil, seeds: .fixed(committed.seedCount(of: session.name)))
        }, isRobustnessAsked: false, progress: progress)
      let rows = simulated.eachSeed.isEmpty ? simulated.means : simulated.eachSeed
      measured = ResultSet(
        scenarios: files.map {
          ScenarioDigest(scenario: $0.scenario.name, digest: $0.digest)
        }, rows: rows.filter(SummaryTable.shows))
      targets = fields.flatMap { $0.file.targets(for: $1) }
    }
    progress.end()
    let verdict = Gate.compare(baseline: committed, candidate: measured, targets: targets)
    try write(verdict)
    try Console.write(GateReport.text(verdict, style: Console.style))
    if let status = ExitStatus(rawValue: verdict.outcome.exitCode) { throw CommandFailure(status) }
  }

  /// The baseline; where there is none that can be read, the verdict says so too, if it can be written:
  /// the missing baseline is the graver fault, and where there is no `Reports/` both are missing.
  private func committedBaseline() throws -> ResultSet {
    do {
      return try StoredReport.load(baseline, failing: .baseline)
    } catch {
      let nothing = ResultSet(scenarios: [], rows: [])
      try? write(Gate.compare(baseline: nothing, candidate: nothing, targets: []))
      throw error
    }
  }

  private func write(_ verdict: Verdict) throws {
    try OutputFile.write(VerdictJSON.document(verdict), to: self.verdict)
  }
}

/// A report that was written to a folder earlier.
enum StoredReport {
  /// The largest file that is read, in bytes.
  private static let byteLimit = 1 << 28

  private struct StoredManifest: Decodable {
    var scenarios: [StoredDigest]
  }

  private struct StoredDigest: Decodable {
    var scenario: String
    var digest: String
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
      scenarios: manifest.scenarios.map {
        ScenarioDigest(scenario: $0.scenario, digest: $0.digest)
      }, rows: table.rows)
  }
}

extension ResultSet {
  /// How many seeds the rows of a scenario have; 1 where there are no rows.
  func seedCount(of scenario: String) -> Int {
    max(1, rows.filter { $0.scenario == scenario }.distinct(\.seed).count)
  }

  /// The part that concerns some scenarios.
  func restricted(to names: Set<String>) -> ResultSet {
    var part = ResultSet(
      schemaVersion: schemaVersion, scenarios: scenarios.filter { names.contains($0.scenario) },
      rows: rows.filter { names.contains($0.scenario) })
    part.rowsOfOthers = rows.count - part.rows.count
    return part
  }
}
