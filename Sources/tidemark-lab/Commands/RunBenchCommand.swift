import ArgumentParser
import CommandLineInterface
import Foundation
import Processes
import RealTime
import ResultModel
import Workloads

/// Runs all measurements of a report, each as short as its statistics permit; an internal command of `bench`.
struct RunBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-bench", abstract: "Measure for a report; `bench` starts it.",
    shouldDisplay: false)

  @Argument var inputs: [String]
  @Option var scenario: String?
  @Option var folder: String
  @Option var policies: String?
  @Option var seed: UInt64
  @Flag var product = false

  func run() async throws {
    let progress = ProgressLine("bench")
    var measurement = try ScenarioMeasurement(
      inputs, lender: scenario, policies: try policies.map { try PolicyNames.list($0) } ?? [],
      seed: seed)
    // Targets may require p99.
    measurement.extent = product || !measurement.ownTargets.isEmpty ? .tail : .quick
    let measured = try await measurement.times(progress: progress)
    var latency = measured.rows
    var targets: [Target] = []
    if product {
      latency += try await CoreCosts.times(seed: seed, isQuick: false, progress: progress)
      targets = measured.targets + MachineTargets.costs
      if let pipeline = try await PipelineMeasurement.forBench(
        policy: CoreCosts.policy, seed: seed, progress: progress)
      {
        latency += pipeline.rows
        targets += pipeline.targets
      }
      if let alternatives = try await AlternativeMeasurement.forBench(
        seed: seed, progress: progress)
      {
        latency += alternatives.rows
        targets += alternatives.targets
      }
    }
    // Counts are the same beside other work, unlike times.
    async let filled = product ? CoreCosts.memory(seed: seed, progress: progress) : []
    let memory = try await measurement.memory(progress: progress) + filled
    progress.end()
    for (file, text) in [
      (LabFile.latency, ChildRows.text(latency)), (.memory, ChildRows.text(memory)),
      (.targets, ChildTargets.text(targets)),
    ] {
      try OutputFile.write(Array(text.utf8), to: "\(folder)/\(file.rawValue)")
    }
    try Console.tell("\(measurement.input.name)\n")
  }
}
