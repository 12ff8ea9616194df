import CacheSimulation

/// The cache under the simulation: it receives turns, and its answers become replies.
public final class OwnCache: CacheUnderTest {
  /// Answers are kept as they came, so a part is never taken for the whole of its entity.
  public let features: Set<CacheFeature> = [.parts]
  private var answers: AnswerCache<CacheReply.Target, [ServedRow]>
  /// By its number: the requested query, and the turns of the waiting reads.
  private var requests: [Int: (target: CacheReply.Target, waiting: [Int])] = [:]
  private var requestOfTarget: [CacheReply.Target: Int] = [:]
  private var lastRequest = 0

  /// - Parameters:
  ///   - launch: the client, the start and the meaning of numbers.
  ///   - capacity: how many answers are kept.
  ///   - timeToLive: for how long an answer is fresh.
  public init(_ launch: CacheLaunch, capacity: Int = 500, timeToLive: Duration = .seconds(300)) {
    answers = AnswerCache(capacity: capacity, timeToLive: timeToLive)
  }

  public func take(_ turn: CacheTurn) -> TurnAnswer {
    switch turn.operation {
    case .read(let query), .observe(let query): read(.query(query), turn)
    case .open(let object): read(.object(object), turn)
    case .response(let id, let response): take(response, to: id, turn)
    // It follows no events, tells views nothing of its own accord, and needs no timer.
    case .unobserve, .tag, .event, .heartbeat, .link, .write, .answer, .wake: TurnAnswer()
    }
  }

  public func end() {}

  private func read(_ target: CacheReply.Target, _ turn: CacheTurn) -> TurnAnswer {
    if let rows = answers.fresh(target, at: turn.at.sinceStart) {
      return TurnAnswer(replies: [.serve(turn: turn.number, rows)])
    }
    if let id = requestOfTarget[target] {
      requests[id]?.waiting.append(turn.number)
      return TurnAnswer()
    }
    lastRequest += 1
    requests[lastRequest] = (target, [turn.number])
    requestOfTarget[target] = lastRequest
    return TurnAnswer(replies: [.fetch(id: lastRequest, target, since: nil)])
  }

  private func take(_ response: CacheOperation.Response, to id: Int, _ turn: CacheTurn)
    -> TurnAnswer
  {
    guard let request = requests.removeValue(forKey: id) else { return TurnAnswer() }
    requestOfTarget[request.target] = nil
    var rows: [ServedRow]?
    switch response {
    case .rows(let sent, _, _):
      rows = sent.map(\.served)
      answers.keep(sent.map(\.served), to: request.target, at: turn.at.sinceStart)
    // Without a server, what there is, however old.
    case .unreachable: rows = answers.any(request.target)
    case .refused, .notModified, .events, .tooOld: break
    }
    return TurnAnswer(
      replies: request.waiting.map { turn in
        rows.map { .serve(turn: turn, $0) } ?? .fail(turn: turn)
      })
  }
}

extension Instant {
  fileprivate var sinceStart: Duration { .nanoseconds(nanoseconds) }
}
