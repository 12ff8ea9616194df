import Analysis
import CacheSimulation
import ResultModel
import Testing
import Workloads

@testable import CommandLineInterface
@testable import tidemark

@Suite("Caches that are known only from outside, among policies", .timeLimit(.minutes(30)))
struct BlackBoxContenderTests {
  private static func input() throws -> SimulationInput {
    SimulationInput(try ScenarioFile(Array(SmallScenario.yaml.utf8), path: "small.yaml"))
  }

  /// The policies `lru` and `ttl`, with a cache between them where there is one.
  private static func comparison(
    with cache: AnsweringCache?, seeds: SeedPlan = .fixed(3)
  ) throws -> Comparison {
    let input = try input()
    var contenders = try input.file.contenders(["lru", "ttl"])
    if let cache { contenders.insert(Contender(name: "own", cache: .blackBox(cache)), at: 1) }
    var comparison = input.comparison(of: contenders, seed: 1, seeds: .fixed(3))
    comparison.plan = seeds
    return comparison
  }

  private static func result(
    with cache: AnsweringCache?, seeds: SeedPlan = .fixed(3)
  ) async throws -> ComparisonResult {
    let results = try await ComparisonRunner.run([comparison(with: cache, seeds: seeds)])
    return try #require(results.first)
  }

  private static func rows(of policy: String, in result: ComparisonResult) -> [ResultRow] {
    result.eachSeed.filter { $0.policy == policy }
  }

  @Test("One runs on every seed and competes; what nobody sees of it binds it to no limit")
  func competes() async throws {
    let result = try await Self.result(with: AnsweringCache())
    let own = Self.rows(of: "own", in: result)
    #expect(own.distinct(\.seed).count == 3 && result.failures.isEmpty)
    let hits = own.filter { $0.metric == .hitRatio && $0.class == "all" }
    #expect(hits.allSatisfy { ($0.value?.asDouble ?? 0) > 0.1 })
    let limits = own.filter { [.overLimit, .predictedBytes, .evictions].contains($0.metric) }
    #expect(!limits.isEmpty && limits.allSatisfy { $0.value == nil })
    let verdict = try #require(result.verdict)
    let standing = try #require(verdict.standing(of: "own"))
    #expect(standing.isMemoryUnknown && standing.fate != .withoutFigures([.overLimit]))
    #expect(verdict.standing(of: "lru")?.isMemoryUnknown == false)
    #expect(result.claims == ["own": "answering 1"])
  }

  @Test(
    "Where one fails, the rest is as if it had not been there",
    arguments: [UInt64(1), 2, 3], [[3], [1, 3]])
  func fails(seed: UInt64, looks: [Int]) async throws {
    let plan = SeedPlan(looks: looks)
    let without = try await Self.result(with: nil, seeds: plan)
    let result = try await Self.result(with: AnsweringCache(failingSeed: seed), seeds: plan)
    #expect(Self.rows(of: "own", in: result).isEmpty)
    #expect(result.verdict == without.verdict && result.verdict != nil)
    #expect(result.means == without.means && result.eachSeed == without.eachSeed)
    #expect(result.failures.count == 1)
    let text = result.failures.first?.description ?? ""
    #expect(text.contains("cache own, client desktop, seed \(seed): "))
  }

  @Test("One alone that fails leaves nobody, and ends")
  func nobodyLeft() async throws {
    var comparison = try Self.comparison(with: AnsweringCache(failingSeed: 1))
    comparison.contenders.removeAll { $0.name != "own" }
    let result = try #require(try await ComparisonRunner.run([comparison]).first)
    #expect(result.failures.count == 1 && result.means.isEmpty && result.verdict == nil)
  }

  @Test("One that does otherwise the second time is shown, and decides nothing")
  func fickle() async throws {
    let without = try await Self.result(with: nil)
    let cache = AnsweringCache(isDeterministic: false, isFickle: true)
    let result = try await Self.result(with: cache)
    #expect(result.failures.first?.description.contains("different results") == true)
    #expect(result.verdict == without.verdict)
    #expect(Self.rows(of: "own", in: result).distinct(\.seed).count == 3)
    // Who says that it need not be looked at is not.
    let trusted = try await Self.result(with: AnsweringCache(isFickle: true))
    #expect(trusted.failures.isEmpty)
  }

  @Test("At equal memory only those take part that say what they take, and can be held to it")
  func equalMemory() throws {
    func present(_ cache: AnsweringCache) throws -> [Bool] {
      let circumstances = Circumstance.all(
        for: try Self.comparison(with: cache), memory: 1_000_000)
      return circumstances.filter { $0.memory != nil }
        .map { $0.comparison.contenders.contains { $0.name == "own" } }
    }
    #expect(try present(AnsweringCache()) == [false, false, false])
    #expect(try present(AnsweringCache(canBeHeld: true)) == [false, false, false])
    #expect(try present(AnsweringCache(predictsMemory: true)) == [false, false, false])
    #expect(
      try present(AnsweringCache(predictsMemory: true, canBeHeld: true)) == [true, true, true])
  }

  @Test("One that says what it takes in memory is held to the limits as all are")
  func memoryKnown() async throws {
    let result = try await Self.result(with: AnsweringCache(predictsMemory: true))
    let bytes = Self.rows(of: "own", in: result).filter { $0.metric == .predictedBytes }
    #expect(bytes.count == 3 && bytes.allSatisfy { $0.value == .integer(1_000) })
    #expect(result.verdict?.standing(of: "own")?.isMemoryUnknown == false)
  }

  @Test("A study runs what it can, and keeps no figures of who fails")
  func study() async throws {
    let input = try Self.input()
    let caches = [
      try input.file.contenders(["lru"])[0],
      Contender(name: "own", cache: .blackBox(AnsweringCache(failingSeed: 2))),
    ]
    let cells = caches.flatMap { contender in
      [UInt64(1), 2].map { StudyCell(input: 0, seed: $0, contender: contender) }
    }
    let runner = StudyRunner(inputs: [input], journal: nil, progress: ProgressLine("test"))
    let made = try await runner.attempt(cells)
    #expect(made.records.map(\.isWithoutFigures) == [false, false, false, true])
    #expect(made.failures.count == 1)
    await #expect(throws: CommandFailure.self) { try await runner.run(cells) }
  }
}
