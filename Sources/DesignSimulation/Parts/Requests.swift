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
  /// - Parameters:
  ///   - target: what is asked for.
  ///   - turn: of the read; `nil`: none waits.
  ///   - isContent: whether the read takes what is stored where no answer comes.
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
