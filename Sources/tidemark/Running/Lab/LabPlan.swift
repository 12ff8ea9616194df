import CommandLineInterface
import Foundation
import Workloads

/// What of a `bench` is also measured in real time, and what is not.
struct LabPlan {
  /// The path of its file, or its name; `nil`: nothing can be measured.
  private let scenario: String?
  /// Whose real caches are measured; none: the lab's usual ones.
  private let policies: [String]
  /// What is not measured and why, a line each.
  let omissions: [String]

  /// Of the scenario's policies these are measured, if it has them: each takes half a minute.
  private static let usualPolicies = ["lru", "refcount", "ttl", "spacedrive"]

  /// - Parameters:
  ///   - fields: what is simulated, with its contenders.
  ///   - asked: the policies that were named; none: each scenario's own.
  init(_ fields: [(SimulationInput, [Contender])], asked: [String]) {
    let drawn = fields.filter(\.0.isDrawn)
    let usual = LabMeasurement.usualScenario
    let chosen = drawn.first { $0.0.file.scenario.name == usual } ?? drawn.first
    let isUsualHere = FileKind.of("\(ScenarioFile.folder)/\(usual).yaml") != nil
    scenario = chosen?.0.file.path ?? (isUsualHere ? usual : nil)
    guard FileManager.default.isExecutableFile(atPath: Companion.lab.executable.path) else {
      policies = []
      omissions = [
        "not measured: latency and memory in real time: \(Companion.lab.missing.message)"
      ]
      return
    }
    guard scenario != nil else {
      policies = []
      omissions = [
        "not measured: latency and memory in real time: a recording is simulated only"
      ]
      return
    }
    let own = (chosen?.1 ?? []).filter { !PolicyEntry.bounds.contains($0.name) }
    let known = own.filter { $0.cache.composition != nil }.map(\.name)
    let common = known.filter(Self.usualPolicies.contains)
    let measured =
      asked.isEmpty
      ? (common.isEmpty ? Array(known.prefix(Self.usualPolicies.count)) : common)
      : asked.filter(known.contains)
    policies = measured
    var lines: [String] = []
    let others = fields.map(\.0).filter { $0.argument != chosen?.0.argument }.map(\.name)
    if let chosen, !others.isEmpty {
      lines.append(
        "measured in real time: \(chosen.0.name) alone; another: tidemark measure latency SCENARIO")
    }
    let outside = own.filter { $0.cache.composition == nil }.map(\.name)
    if !outside.isEmpty {
      lines.append(
        "not measured in real time: \(outside.joined(separator: ", ")): no cache of the library")
    }
    let left = known.filter { !measured.contains($0) }
    if !left.isEmpty, !measured.isEmpty {
      lines.append(
        "not measured in real time: \(left.joined(separator: ", ")); name them with --policies")
    }
    omissions = lines
  }

  /// - Returns: `nil` where nothing can be measured, which ``omissions`` says.
  /// - Throws: ``CommandFailure`` where the lab fails, or says what cannot be read.
  func measure(seed: UInt64) async throws(CommandFailure) -> LabMeasurement? {
    guard let scenario,
      FileManager.default.isExecutableFile(atPath: Companion.lab.executable.path)
    else { return nil }
    return try await LabMeasurement.run(
      scenario: scenario, policies: policies, seed: seed)
  }
}
