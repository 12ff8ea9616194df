import Analysis
import CommandLineInterface
import Foundation
import Processes
import Reporting
import ResultModel

/// The real-time measurements of a report, by the lab, in a separate process.
struct LabMeasurement {
  var latency: [ResultRow]
  var memory: [ResultRow]
  var targets: [Target]
  /// The scenario whose policies were measured on real caches.
  private var scenario: String

  /// The default scenario: most of its events concern data on screen.
  static let usualScenario = "twenty-thousand-entities"

  /// Longer than the measurements take on a very busy machine.
  private static let deadline = Duration.seconds(3_600)

  /// The figures grouped by policy, followed by the control's.
  var rowsByPolicy: [ResultRow] {
    let all = (latency + memory).filter { $0.scenario == scenario }
    let names = all.distinct(\.policy).filter { !$0.isEmpty } + [""]
    return names.flatMap { name in all.filter { $0.policy == name } }
  }

  /// Runs the lab, which shows its own progress and warnings.
  ///
  /// - Parameters:
  ///   - plan: what to measure.
  ///   - seed: the seed of all random numbers.
  ///   - isOfProduct: whether Tidemark's own cache is measured too, whatever the scenario.
  ///   - progress: receives what is being counted.
  /// - Returns: its rows and targets; `nil` if nothing can be measured.
  /// - Throws: ``CommandFailure`` if the lab is not built, fails, or has unreadable output.
  static func run(
    _ plan: LabPlan, seed: UInt64, isOfProduct: Bool, progress: ProgressLine
  ) async throws(CommandFailure) -> LabMeasurement? {
    let usual = LabPlan.Part(
      arguments: [usualScenario], lender: nil, policies: PlayedInput.usualPolicies)
    guard let timed = plan.timed ?? (isOfProduct ? usual : nil) else { return nil }
    do {
      var measurement = try await measurement(of: timed, seed: seed, isOfProduct: isOfProduct)
      // Counts are the same beside other work, unlike times.
      progress.report("memory of \(plan.counted.map { $0.arguments[0] }.joined(separator: ", "))")
      measurement.memory += try await withThrowingTaskGroup(of: (Int, [ResultRow]).self) { group in
        for (index, part) in plan.counted.enumerated() {
          group.addTask { (index, try await memory(of: part, seed: seed)) }
        }
        var rows = plan.counted.map { _ in [ResultRow]() }
        for try await (index, own) in group { rows[index] = own }
        return rows.flatMap { $0 }
      }
      progress.end()
      return measurement
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.data, "measuring in real time: \(error)")
    }
  }

  /// Returns the memory of typed values; none, with a warning, without a counting allocator.
  private static func memory(of part: LabPlan.Part, seed: UInt64) async throws -> [ResultRow] {
    do {
      return try await TerminationSignals.cancelling {
        try await MemoryRun(deadline: .seconds(600)).rows(
          ["policies", part.policies.joined(separator: ",")] + part.words, seed: seed)
      }
    } catch let error as MemoryRunError {
      Console.note("warning: memory of \(part.arguments[0]) is not measured: \(error)")
      return []
    }
  }

  private static func measurement(
    of part: LabPlan.Part, seed: UInt64, isOfProduct: Bool
  ) async throws -> LabMeasurement {
    let folder = TemporaryFolder(for: "bench")
    try folder.make()
    defer { folder.remove() }
    var arguments = ["run-bench"] + part.words
    arguments += ["--folder", folder.url.path, "--seed", "\(seed)"]
    arguments += ["--policies", part.policies.joined(separator: ",")]
    if isOfProduct { arguments.append("--product") }
    var run = ProcessRun(
      executable: Companion.lab.executable, arguments: arguments, deadline: deadline)
    run.sharesErrors = true
    // For its own processes and files, which it removes after the end of its input.
    run.patience = .seconds(10)
    do {
      let name = try await TerminationSignals.cancelling { [run] in try await run.output() }
      return LabMeasurement(
        latency: try ChildRows.rows(in: try text(LabFile.latency, in: folder), seed: seed),
        memory: try ChildRows.rows(in: try text(LabFile.memory, in: folder), seed: seed),
        targets: try ChildTargets.targets(in: try text(LabFile.targets, in: folder)),
        scenario: String(name.prefix { $0 != "\n" }))
    } catch ProcessRunError.executableMissing {
      throw Companion.lab.missing
    } catch let error as ProcessRunError {
      if case .failed(let status, _) = error, let status = ExitStatus(rawValue: status) {
        // It has already reported the cause.
        throw CommandFailure(status)
      }
      throw error
    }
  }

  private static func text(_ file: LabFile, in folder: TemporaryFolder) throws -> String {
    let bytes = try InputFile.read(folder.path(of: file.rawValue), limit: 1 << 24)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The build of the lab, which `make bench` runs in parallel with the simulations.
struct LabBuild {
  /// The file for its exit status.
  var endFile: String

  func wait(progress: ProgressLine) async throws {
    while FileKind.of(endFile) == nil {
      progress.report("waiting for the build of the lab")
      try await Task.sleep(for: .milliseconds(200))
    }
    let status = String(decoding: try InputFile.read(endFile, limit: 64), as: UTF8.self)
    guard status.trimmingCharacters(in: .whitespacesAndNewlines) == "0" else {
      throw CommandFailure(.data, "the lab does not build, so nothing is measured; see: make lab")
    }
  }
}

/// The first table of `bench`: few policies on few scenarios, while the others take minutes.
enum FirstLook {
  /// Three kinds of app, among the fastest to simulate.
  private static let scenarios = ["file-browser", "issue-tracker", "notes-on-a-phone"]
  private static let policies = ["lru", "refcount", "ttl", "no-cache", "unbounded"]
  /// So many of the seeds that are run anyway.
  private static let seeds = 2

  /// Simulates them, and writes their fresh hits.
  ///
  /// - Returns: the runs, by scenario and policy, to be reused.
  static func show(
    of inputs: [SimulationInput], seed: UInt64?, seeds: SeedCount, timelineParts: Int,
    _ progress: ProgressLine
  ) async throws -> [String: [String: PolicyRuns]] {
    let usual = inputs.filter { scenarios.contains($0.name) }
    let chosen = usual.isEmpty ? Array(inputs.prefix(scenarios.count)) : usual
    let count = min(Self.seeds, seeds.plan.common)
    let comparisons = try chosen.filter(\.isDrawn).map { input in
      var comparison = input.comparison(
        of: try input.file.contenders(policies), seed: seed, seeds: .fixed(count))
      comparison.otherRules = []
      comparison.timelineParts = timelineParts
      return comparison
    }
    guard !comparisons.isEmpty else { return [:] }
    let simulated = try await Verdicts.run(
      comparisons, isRobustnessAsked: false, progress: progress)
    progress.end()
    try Console.write(
      BenchReport.firstLook(
        at: policies, seeds: count, rows: simulated.means, style: Console.style))
    return simulated.results.reduce(into: [:]) { known, result in
      for contender in result.comparison.contenders {
        known[result.comparison.input.name, default: [:]][contender.name] = result.runs(
          of: contender.name)
      }
    }
  }
}
