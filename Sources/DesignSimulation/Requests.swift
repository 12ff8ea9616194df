import CacheModel
import CacheSimulation

/// The fetches under way, one for each target, and the reads that wait for them.
struct Requests {
  typealias Target = CacheReply.Target

  struct Request {
    let id: Int
    let target: Target
    /// The reads that wait, by their turns.
    var turns: [Int] = []
    /// The reads that are content with what is stored, where no answer comes.
    var contentTurns: [Int] = []
    /// Whether its target has changed since it was asked for: the answer may be older.
    var isOutdated = false
  }

  private var underWay: [Request] = []
  private var lastID = 0

  /// Has a read wait for a target, or a view be told of it later.
  ///
  /// - Returns: what to ask the server; `nil` where that is under way.
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

  /// Notes that a target has changed.
  mutating func outdate(_ target: Target) {
    guard let index = underWay.firstIndex(where: { $0.target == target }) else { return }
    underWay[index].isOutdated = true
  }

  /// Ends a request.
  mutating func end(_ id: Int) -> Request? {
    underWay.firstIndex { $0.id == id }.map { underWay.remove(at: $0) }
  }

  /// Asks for the same again, for the same reads.
  mutating func askAgain(_ request: Request) -> CacheReply {
    lastID += 1
    var again = Request(id: lastID, target: request.target)
    again.turns = request.turns
    again.contentTurns = request.contentTurns
    underWay.append(again)
    return .fetch(id: again.id, again.target, since: nil)
  }
}

/// Sends what the user changes, one after the other, for an app that shows a change once it is confirmed.
///
/// What is sent once is given up where no answer comes; the rest is sent again, at the latest when the link is
/// back, until there is one. It lies in memory: the end of the process takes along what is not confirmed.
struct OwnWrites {
  private struct Pending {
    var token: UInt32
    var isSentOnce: Bool
    var isUnderWay = false
  }

  private var pending: [Pending] = []
  private var isUp = true
  private var pause = Self.firstPause
  /// When what got no answer is sent again.
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

  /// Takes what became of a write.
  ///
  /// - Returns: what the server says of it now; `nil` where it was not carried out.
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

  /// What is to be sent now.
  ///
  /// Of what is kept until there is an answer one is under way at a time, so that the server gets it in order.
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

/// What ends later in virtual time; of one instant in the order in which it began.
struct Agenda<Event> {
  private var events: [(at: Instant, event: Event)] = []

  /// When the next of them ends.
  var next: Instant? { events.first?.at }

  mutating func add(_ event: Event, at instant: Instant) {
    let place = events.firstIndex { $0.at > instant } ?? events.endIndex
    events.insert((instant, event), at: place)
  }

  /// Takes the next that has ended.
  mutating func takeDue(at now: Instant) -> Event? {
    guard let first = events.first, first.at <= now else { return nil }
    return events.removeFirst().event
  }
}
