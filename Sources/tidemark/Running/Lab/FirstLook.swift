import CommandLineInterface
import Reporting

/// The first table of `bench`: few policies on few scenarios, while all the others take minutes.
enum FirstLook {
  /// Three kinds of app, of those that are simulated fastest.
  private static let scenarios = ["file-browser", "issue-tracker", "notes-on-a-phone"]
  private static let policies = ["lru", "refcount", "ttl", "no-cache", "unbounded"]
  private static let seeds = SeedCount.fixed(2)

  /// Simulates them, and writes their fresh reads.
  static func show(of inputs: [SimulationInput], seed: UInt64?, _ progress: ProgressLine)
    async throws
  {
    let usual = inputs.filter { scenarios.contains($0.name) }
    let chosen = usual.isEmpty ? Array(inputs.prefix(scenarios.count)) : usual
    let comparisons = try chosen.filter(\.isDrawn).map {
      $0.comparison(of: try $0.file.contenders(policies), seed: seed, seeds: seeds)
    }
    guard !comparisons.isEmpty else { return }
    let simulated = try await Verdicts.run(
      comparisons, isRobustnessAsked: false, progress: progress)
    progress.end()
    try Console.write(
      BenchReport.firstLook(at: policies, rows: simulated.means, style: Console.style))
  }
}
