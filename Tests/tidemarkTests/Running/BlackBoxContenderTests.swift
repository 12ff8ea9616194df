import Analysis
import CacheModel
import CacheSimulation
import ResultModel
import Synchronization
import Testing
import Workloads

@testable import CommandLineInterface
@testable import tidemark

@Suite("Caches that are known only from outside, among policies", .timeLimit(.minutes(30)))
struct BlackBoxContenderTests {
  private static func input() throws -> SimulationInput {
    SimulationInput(try ScenarioFile(Array(SmallScenario.yaml.utf8), path: "small.yaml"))
  }

  /// The policies `lru` and `ttl`, with a cache between them if there is one.
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

  @Test("One runs on every seed and competes; unknown figures bind it to no limit")
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
    "If one fails, the others are unaffected",
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

  @Test("A single failing one leaves no contender, and ends")
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
    // A contender that need not be examined is not.
    let trusted = try await Self.result(with: AnsweringCache(isFickle: true))
    #expect(trusted.failures.isEmpty)
  }

  @Test("At equal memory only those take part that report their memory, and can be limited")
  func equalMemory() throws {
    func present(_ cache: AnsweringCache) throws -> [Bool] {
      let circumstances = Circumstance.all(
        for: ComparisonResult(comparison: try Self.comparison(with: cache)), memory: 1_000_000,
        areVerdictsAsked: true, areLevelsAsked: false)
      return circumstances.filter { $0.memory != nil }
        .map { $0.comparison.contenders.contains { $0.name == "own" } }
    }
    #expect(try present(AnsweringCache()) == [false, false, false])
    #expect(try present(AnsweringCache(canBeHeld: true)) == [false, false, false])
    #expect(try present(AnsweringCache(predictsMemory: true)) == [false, false, false])
    #expect(
      try present(AnsweringCache(predictsMemory: true, canBeHeld: true)) == [true, true, true])
  }

  @Test("One that reports its memory has to keep the limits like all others")
  func memoryKnown() async throws {
    let result = try await Self.result(with: AnsweringCache(predictsMemory: true))
    let bytes = Self.rows(of: "own", in: result).filter { $0.metric == .predictedBytes }
    #expect(bytes.count == 3 && bytes.allSatisfy { $0.value == .integer(1_000) })
    #expect(result.verdict?.standing(of: "own")?.isMemoryUnknown == false)
  }

  @Test("A study runs the others, and keeps no figures of a failing one")
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

@Suite("Contenders that do the same", .timeLimit(.minutes(30)))
struct EqualContenderTests {
  @Test("Equal caches have the same rank in any order of names", arguments: [1, 3])
  func order(seeds: Int) async throws {
    let input = SimulationInput(
      try ScenarioFile(Array(SmallScenario.yaml.utf8), path: "small.yaml"))
    let lru = try #require(try input.file.contenders(["lru"]).first)
    let names = ["b", "a", "c"]
    var verdicts: [ShipVerdict] = []
    for order in [names, names.reversed()] {
      let contenders = order.map { Contender(name: $0, cache: lru.cache) }
      let comparison = input.comparison(of: contenders, seed: 1, seeds: .fixed(seeds))
      let results = try await ComparisonRunner.run([comparison])
      verdicts.append(try #require(results.first?.verdict))
    }
    #expect(verdicts[0] == verdicts[1])
    #expect(verdicts[0].standings.map(\.contender) == ["a", "b", "c"])
  }
}

/// A cache known only from outside: it keeps every answer forever, or has a planted fault.
struct AnsweringCache: BlackBoxCache {
  var isDeterministic = true
  var predictsMemory = false
  var canBeHeld = false
  /// The seed of which each run fails.
  var failingSeed: UInt64?
  /// Whether every other one that is begun for a seed keeps nothing.
  var isFickle = false
  private let begun = Begun()

  var content: [ScenarioContent.Value] { [.init(path: "keeps", text: "everything")] }

  func held(toMemory bytes: Int) -> (any BlackBoxCache)? { canBeHeld ? self : nil }

  func maker(for workload: Workload) -> Maker {
    { launch throws(CacheFault) in
      if launch.seed == failingSeed { throw CacheFault(.notStarted, "as planted") }
      let number = begun.next(of: launch.seed)
      return Answering(
        workload, keeps: !isFickle || number.isMultiple(of: 2),
        bytes: predictsMemory ? 1_000 : nil)
    }
  }

  /// Counted for each seed by itself: several are run at once.
  private final class Begun: Sendable {
    private let counts = Mutex<[UInt64: Int]>([:])
    func next(of seed: UInt64) -> Int {
      counts.withLock { counts in
        defer { counts[seed, default: 0] += 1 }
        return counts[seed, default: 0]
      }
    }
  }
}

private final class Answering: CacheUnderTest {
  private let keeps: Bool
  let predictedBytes: Int?
  private var answers: [CacheReply.Target: [ServedRow]] = [:]
  private var requests: [Int: (target: CacheReply.Target, turn: Int)] = [:]
  private let workload: Workload

  init(_ workload: Workload, keeps: Bool, bytes: Int?) {
    self.workload = workload
    self.keeps = keeps
    predictedBytes = bytes
  }

  var claim: String? { "answering 1" }

  func take(_ turn: CacheTurn) -> TurnAnswer {
    switch turn.operation {
    case .read(let query), .observe(let query): read(.query(query), in: turn.number)
    case .open(let object): read(.object(object), in: turn.number)
    case .response(let id, .rows(let rows, _, _)): answer(id, rows)
    case .response(let id, _): TurnAnswer(replies: fail(id))
    default: TurnAnswer()
    }
  }

  func end() {}

  private func read(_ target: CacheReply.Target, in turn: Int) -> TurnAnswer {
    if let rows = answers[target] { return TurnAnswer(replies: [.serve(turn: turn, rows)]) }
    requests[turn] = (target, turn)
    return TurnAnswer(replies: [.fetch(id: turn, target, since: nil)])
  }

  private func answer(_ id: Int, _ rows: [SentRow]) -> TurnAnswer {
    guard let request = requests.removeValue(forKey: id) else { return TurnAnswer() }
    let served = rows.map { row in
      ServedRow(
        object: Int(workload.catalog.revisions[Int(row.state)].object), version: Int(row.state))
    }
    if keeps { answers[request.target] = served }
    return TurnAnswer(replies: [.serve(turn: request.turn, served)])
  }

  private func fail(_ id: Int) -> [CacheReply] {
    requests.removeValue(forKey: id).map { [.fail(turn: $0.turn)] } ?? []
  }
}
