import CacheModel
import CacheSimulation

/// The pending fetches, one for each target, and the reads that wait for them.
struct Requests {
  typealias Target = CacheReply.Target

  struct Request {
    let id: Int
    let target: Target
    var turns: [Int] = []
    /// The reads that use a stored value if there is no answer.
    var contentTurns: [Int] = []
    /// Whether its target has changed since the request: the answer may be older.
    var isOutdated = false
  }

  private var underWay: [Request] = []
  private var lastID = 0

  /// Adds a waiting read of a target, or a view to notify later.
  ///
  /// - Returns: the request to send; `nil` if one is pending.
  mutating func ask(_ target: Target, turn: Int?, isContent: Bool = false) -> CacheReply? {
    let index = underWay.firstIndex { $0.target == target } ?? underWay.endIndex
    let isNew = index == underWay.endIndex
    if isNew {
      lastID += 1
      underWay.append(Request(id: lastID, target: target))
    }
    if let turn {
      if isContent {
        underWay[index].contentTurns.append(turn)
      } else {
        underWay[index].turns.append(turn)
      }
    }
    return isNew ? .fetch(id: underWay[index].id, target, since: nil) : nil
  }

  mutating func outdate(_ target: Target) {
    guard let index = underWay.firstIndex(where: { $0.target == target }) else { return }
    underWay[index].isOutdated = true
  }

  mutating func end(_ id: Int) -> Request? {
    underWay.firstIndex { $0.id == id }.map { underWay.remove(at: $0) }
  }

  /// Repeats a request for the same reads.
  mutating func askAgain(_ request: Request) -> CacheReply {
    lastID += 1
    var again = Request(id: lastID, target: request.target)
    again.turns = request.turns
    again.contentTurns = request.contentTurns
    underWay.append(again)
    return .fetch(id: again.id, again.target, since: nil)
  }
}

/// Sends the user's changes sequentially, for an app that shows a change after its confirmation.
///
/// A change without retries fails if there is no answer; others are retried until there is one, at the latest
/// when the link is restored. They are only in memory: the end of the process loses unconfirmed ones.
struct OwnWrites {
  private struct Pending {
    var token: UInt32
    var isSentOnce: Bool
    var isUnderWay = false
  }

  private var pending: [Pending] = []
  private var isUp = true
  private var pause = Self.firstPause
  private(set) var nextTry: Instant?

  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(60)

  mutating func add(_ write: CacheOperation.Write) {
    pending.append(Pending(token: write.token, isSentOnce: write.isSentOnce))
  }

  mutating func link(isUp: Bool) {
    self.isUp = isUp
    if isUp { nextTry = nil }
  }

  mutating func wake(at now: Instant) {
    if let due = nextTry, due <= now { nextTry = nil }
  }

  /// Processes the result of a write.
  ///
  /// - Returns: the server's confirmation; `nil` if the write was not performed.
  mutating func take(
    _ answer: CacheOperation.Answer, to token: UInt32, at now: Instant
  ) -> CacheOperation.Confirmation? {
    guard let index = pending.firstIndex(where: { $0.token == token }) else { return nil }
    switch answer {
    case .confirmed(let confirmation):
      pending.remove(at: index)
      pause = Self.firstPause
      return confirmation
    case .refused: pending.remove(at: index)
    case .unreachable where pending[index].isSentOnce: pending.remove(at: index)
    case .unreachable:
      pending[index].isUnderWay = false
      nextTry = now.advanced(by: pause)
      pause = min(pause * 2, Self.longestPause)
    }
    return nil
  }

  /// Returns the requests to send now.
  ///
  /// Changes with retries are sent one at a time, so that the server receives them in order.
  mutating func takeSends() -> [CacheReply] {
    var sends: [CacheReply] = []
    var isKeptUnderWay = pending.contains { !$0.isSentOnce && $0.isUnderWay }
    for index in pending.indices where !pending[index].isUnderWay {
      if !pending[index].isSentOnce {
        guard !isKeptUnderWay, isUp, nextTry == nil else { continue }
        isKeptUnderWay = true
      }
      pending[index].isUnderWay = true
      sends.append(.send(token: Int(pending[index].token)))
    }
    return sends
  }
}

/// Events with a due time in virtual time; simultaneous ones in the order of their creation.
struct Agenda<Event> {
  private var events: [(at: Instant, event: Event)] = []

  var next: Instant? { events.first?.at }

  mutating func add(_ event: Event, at instant: Instant) {
    let place = events.firstIndex { $0.at > instant } ?? events.endIndex
    events.insert((instant, event), at: place)
  }

  mutating func takeDue(at now: Instant) -> Event? {
    guard let first = events.first, first.at <= now else { return nil }
    return events.removeFirst().event
  }
}
