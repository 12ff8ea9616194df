import CacheModel
import CacheSimulation

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
