import CacheModel
import CacheSimulation
import Synchronization
import Workloads

/// A cache that is known only from outside: it keeps every answer forever, or does what a test plants.
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
