import CacheModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Runs that show a cache's mistake, made shorter")
struct ShrinkingTests {
  @Test("Steps are left out until none can be")
  func reduction() {
    var reduction = StepReduction(trials: 1_000)
    #expect(
      reduction.reduce(100) { $0.contains(13) && $0.contains(77) } == [13, 77])
    #expect(reduction.reduce(7) { _ in true } == [])
    #expect(reduction.reduce(5) { $0.count == 5 } == [0, 1, 2, 3, 4])
    #expect(reduction.reduce(0) { _ in true } == [])
  }

  @Test("A required step comes before the steps that need it")
  func order() {
    var reduction = StepReduction(trials: 2)
    #expect(reduction.reduce(64) { $0 == Array($0.indices) } == [])
  }

  @Test("No more is tried than may be")
  func bounds() {
    var tried = 0
    var reduction = StepReduction(trials: 3)
    _ = reduction.reduce(100) { _ in
      tried += 1
      return false
    }
    #expect(tried == 3)
    reduction = StepReduction(trials: 100)
    #expect(reduction.reduce(10, while: { false }) { _ in true }.count == 10)
  }

  /// Forges a version at the fifth read after one of the second list has been answered.
  private final class Forger: CacheUnderTest {
    private var targets: [Int] = []
    private var isAngry = false

    func end() {}

    func take(_ turn: CacheTurn) -> TurnAnswer {
      switch turn.operation {
      case .read(let query):
        if isAngry, query == 0 {
          return TurnAnswer(replies: [
            .serve(turn: turn.number, [ServedRow(object: 0, version: 9_999)])
          ])
        }
        targets.append(query)
        return TurnAnswer(
          replies: [.fetch(id: targets.count + 100, .query(query), since: nil)],
          wake: turn.at.advanced(by: .seconds(1)))
      case .response(let id, _): if targets[id - 101] == 1 { isAngry = true }
      default: break
      }
      return TurnAnswer()
    }
  }

  @Test("A fault is shown by the turns that lead to it, and by no others")
  func fault() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    let other: UInt32 = 1
    tiny.queries.append(QuerySpec(kind: .directory, subject: 0, limit: 1))
    for at in 1...20 { tiny.act(.read(query: 0), at: Double(at)) }
    tiny.act(.read(query: other), at: 30)
    for at in 31...50 { tiny.act(.read(query: 0), at: Double(at)) }
    let simulation = Simulation(of: tiny.workload)
    let failure = try #require(throws: CacheFailure.self) {
      try simulation.run(cache: "forger", recordsTurns: true) { _ in Forger() }
    }
    let told = try #require(failure.told)
    #expect(told.steps.count > 40 && failure.fault.kind == .forgedVersion)
    let shrunk = try #require(failure.shrunk(trials: 500, while: { true }) { _ in Forger() })
    #expect(shrunk.fault.kind == .forgedVersion)
    let words = shrunk.turns.map { turn in
      switch turn.operation {
      case .read(let query): "read \(query)"
      case .response(let id, _): "response \(id)"
      case .wake: "wake"
      default: "other"
      }
    }
    #expect(words.filter { $0 != "wake" } == ["read 1", "response 101", "read 0"], "\(words)")
  }

  @Test("A failure that does not repeat is not shrunk")
  func unsteady() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let failure = CacheFailure(
      scenario: "a", cache: "b", client: "c", seed: 1, fault: CacheFault(.ended))
    #expect(failure.shrunk(trials: 10, while: { true }) { _ in Forger() } == nil)
  }
}
