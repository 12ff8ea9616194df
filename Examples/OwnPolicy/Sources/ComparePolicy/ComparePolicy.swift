import CacheSimulation
import Foundation
import OwnPolicy

/// Runs the policy and others, over three streams of a scenario, and prints a table.
///
/// Usage: `ComparePolicy [SCENARIO.yaml]`
@main
struct ComparePolicy {
  static func main() {
    do {
      try compare(CommandLine.arguments.dropFirst().first ?? "../../Scenarios/tight-memory.yaml")
    } catch {
      FileHandle.standardError.write(Data("ComparePolicy: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func compare(_ path: String) throws {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw SimulationError.unreadable("\(path): cannot be read; give the path of a scenario file")
    }
    // The models that a scenario's `data` may `use` are next to it.
    let model = URL(fileURLWithPath: path).deletingLastPathComponent()
      .appendingPathComponent("models/files.yaml")
    let models =
      FileManager.default.contents(atPath: model.path).map { ["files": Array($0)] } ?? [:]
    let scenario = try SimulatedScenario(bytes, file: path, models: models)
    let mine = EvictionPolicyDescriptor(LRU2.self)
    print("policy    seed  fresh reads  evictions       fetched")
    for seed in scenario.seeds(3) {
      let stream = scenario.stream(seed: seed)
      // The same capacity, freshness and network; the eviction order alone differs.
      var runs = [try stream.run(policy: "lru"), try stream.run(evictionOrder: mine)]
      if let sieve = EvictionPolicies.named("sieve") {
        runs.append(try stream.run(evictionOrder: sieve))
      }
      for run in runs { print(line(run, seed)) }
    }
  }

  private static func line(_ run: SimulatedRun, _ seed: UInt64) -> String {
    func text(_ metric: Metric, _ resultClass: ResultClass, _ form: String, per unit: Double)
      -> String
    {
      // A figure that was not measured is missing, not zero.
      guard let value = run.value(of: metric, in: resultClass) else { return "-" }
      return String(format: form, value.asDouble / unit)
    }
    let cells = [
      (run.name, -8), ("\(seed)", 6),
      (text(.freshHitRatio, "all", "%.1f %%", per: 0.01), 13),
      (text(.evictions, .total, "%.0f", per: 1), 11),
      (text(.bytesFetched, .total, "%.1f MB", per: 1_000_000), 14),
    ]
    return cells.map { text, width in
      let gap = String(repeating: " ", count: max(0, abs(width) - text.count))
      return width < 0 ? text + gap : gap + text
    }.joined()
  }
}
