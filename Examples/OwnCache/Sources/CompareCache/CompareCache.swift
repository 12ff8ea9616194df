import CacheSimulation
import Foundation
import OwnCache

/// Runs the cache and presets, over a stream of a scenario, and prints a table and the first reads in
/// which two caches differ.
///
/// Usage: `CompareCache [SCENARIO.yaml]`
@main
struct CompareCache {
  static func main() {
    do {
      try compare(CommandLine.arguments.dropFirst().first ?? "../../Scenarios/flaky-network.yaml")
    } catch {
      FileHandle.standardError.write(Data("CompareCache: \(error)\n".utf8))
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
    let stream = try SimulatedScenario(bytes, file: path, models: models).stream()
    let mine = try stream.run(cache: "own") { OwnCache($0) }
    let patient = try stream.run(cache: "own-1-h") { OwnCache($0, timeToLive: .seconds(3_600)) }
    let lru = try stream.run(policy: "lru")
    print("cache     fresh reads  stale reads       fetched")
    for run in [mine, patient, lru] { print(line(run)) }

    print("\nthe first reads that are fresh with lru, and stale with own-1-h:")
    let pairs = zip(lru.reads, patient.reads).filter {
      $0.outcome == .hitFresh && $1.outcome == .hitStale
    }
    for (_, read) in pairs.prefix(3) {
      let age =
        read.age.map { ", \($0.formatted(.units(allowed: [.minutes, .seconds]))) old" } ?? ""
      print("  \(read.client) reads \(read.subject)\(age)")
    }
  }

  private static func line(_ run: SimulatedRun) -> String {
    func text(_ metric: Metric, _ resultClass: ResultClass, _ form: String, per unit: Double)
      -> String
    {
      // A figure that was not measured is missing, not zero.
      guard let value = run.value(of: metric, in: resultClass) else { return "-" }
      return String(format: form, value.asDouble / unit)
    }
    let cells = [
      (run.name, -8), (text(.freshHitRatio, "all", "%.1f %%", per: 0.01), 13),
      (text(.staleReadShare, "all", "%.1f %%", per: 0.01), 13),
      (text(.bytesFetched, .total, "%.1f MB", per: 1_000_000), 14),
    ]
    return cells.map { text, width in
      let gap = String(repeating: " ", count: max(0, abs(width) - text.count))
      return width < 0 ? text + gap : gap + text
    }.joined()
  }
}
