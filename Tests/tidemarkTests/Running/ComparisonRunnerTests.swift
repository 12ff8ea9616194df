import Analysis
import CacheTestSupport
import Reporting
import Synchronization
import Testing
import Workloads

@testable import CommandLineInterface
@testable import tidemark

@Suite("Runs of comparisons", .timeLimit(.minutes(30)))
struct ComparisonRunnerTests {
  /// `lru`; `copy`, which is the same; and `far`, which keeps nothing.
  private static func comparison(
    _ names: [String] = ["lru", "copy", "far"], looks: [Int], screening: Int? = nil
  ) throws -> Comparison {
    let input = SimulationInput(
      try ScenarioFile(Array(SmallScenario.yaml.utf8), path: "small.yaml"))
    let presets = ["copy": "lru", "far": "no-cache"]
    let contenders = try names.map { name in
      Contender(name: name, cache: try input.file.contenders([presets[name] ?? name])[0].cache)
    }
    var comparison = input.comparison(of: contenders, seed: 1, seeds: .fixed(3))
    comparison.plan = SeedPlan(screening: screening, looks: looks)
    comparison.planOfOtherRules = SeedPlan(looks: looks)
    return comparison
  }

  private static func run(
    _ comparison: Comparison, isOutOfTime: Bool = false
  ) async throws -> (result: ComparisonResult, runs: Int) {
    let runs = Mutex(0)
    let results = try await ComparisonRunner.run(
      [comparison], isOutOfTime: { isOutOfTime },
      report: { status in runs.withLock { $0 = max($0, status.runs) } })
    return (try #require(results.first), runs.withLock(\.self))
  }

  private static func seeds(_ result: ComparisonResult) -> [Int] {
    result.runs.map(\.seedCount)
  }

  @Test("A run is made once, for every rule and every comparison")
  func shared() async throws {
    let whole = try await Self.run(Self.comparison(["lru", "ttl"], looks: [3]))
    #expect(whole.runs == 6 && whole.result.otherVerdicts.count == 3)
    let first = try await Self.run(Self.comparison(["lru", "ttl"], looks: [2]))
    var more = try Self.comparison(["lru", "ttl"], looks: [3])
    more.known["lru"] = first.result.runs(of: "lru")
    let rest = try await Self.run(more)
    #expect(rest.runs == 4)
    #expect(rest.result.verdict == whole.result.verdict)
    #expect(rest.result.eachSeed == whole.result.eachSeed)
    #expect(rest.result.means == whole.result.means)
  }

  @Test("Contenders far behind after few seeds, and bounds, run no more of them")
  func screened() async throws {
    var comparison = try Self.comparison(
      ["lru", "copy", "far", "unbounded"], looks: [6], screening: 4)
    comparison.otherRules = []
    let (result, runs) = try await Self.run(comparison)
    #expect(Self.seeds(result) == [6, 6, 4, 4] && runs == 20)
    #expect(result.verdict?.acceptable == ["copy", "lru"])
    #expect(result.verdict?.standing(of: "far")?.fate == .behind)
    let elsewhere = Circumstance.all(
      for: result, memory: nil, areVerdictsAsked: true, areLevelsAsked: false)
    #expect(!elsewhere.isEmpty && elsewhere.allSatisfy { $0.comparison.probed == ["far"] })
    let longest = try #require(elsewhere.last)
    let scenario = longest.comparison.input.file.scenario
    #expect(scenario.duration == comparison.input.file.scenario.duration * 4)
    #expect(longest.comparison.input.clients == scenario.clients(oneIn: 4))
  }

  @Test("A probed contender continues only if its first seed is near the best")
  func probed() async throws {
    var comparison = try Self.comparison(looks: [3])
    comparison.otherRules = []
    comparison.probed = ["copy", "far"]
    let (result, runs) = try await Self.run(comparison)
    #expect(Self.seeds(result) == [3, 3, 1] && runs == 7)
    #expect(result.verdict?.standings.map(\.contender) == ["copy", "lru"])
  }

  @Test("When time has run out, the runs of all are made, and optional ones are left out")
  func outOfTime() async throws {
    var comparison = try Self.comparison(looks: [2, 3])
    comparison.otherRules = []
    let begun = try await Self.run(comparison, isOutOfTime: true)
    #expect(Self.seeds(begun.result) == [2, 2, 2] && begun.result.verdict?.seeds == 2)
    comparison.isOptional = true
    let left = try await Self.run(comparison, isOutOfTime: true)
    #expect(left.runs == 0 && left.result.verdict?.seeds ?? 0 == 0)
  }

  @Test("Runs and seconds are added up by scenario and part, the dearest scenario first")
  func timing() throws {
    func part(_ name: String, _ scenario: String, runs: Int, seconds: Double) throws
      -> SimulatedPart
    {
      var result = ComparisonResult(comparison: try Self.comparison(looks: [2]))
      result.comparison.input.file.scenario.name = scenario
      result.work = SimulatedWork(simulations: runs, processorSeconds: seconds)
      return SimulatedPart(name, of: result)
    }
    let parts = [
      try part("verdict", "cheap", runs: 8, seconds: 1),
      try part("verdict", "dear", runs: 6, seconds: 1.5),
      try part("axes", "dear", runs: 2, seconds: 0.25),
      try part("axes", "dear", runs: 1, seconds: 0.25),
    ]
    let lines = parts.table(style: .plain).split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    #expect(
      lines.suffix(3) == [
        "dear 9 2.0 6 in 1.5 3 in 0.5", "cheap 8 1.0 8 in 1.0", "all 17 3.0 14 in 2.5 3 in 0.5",
      ], "\(lines)")
  }
}
