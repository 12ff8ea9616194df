import CacheModel
import NormalizedCache

/// The end of a run: faults stop, and everything in flight is answered until nothing is.
extension FaultRun {
  /// More rounds than the longest back-off can need.
  private static let roundLimit = 64
  /// More answers than a sound store can ask for without anything new happening.
  private static let answerLimit = 1_000

  mutating func comeToRest() {
    for server in world.servers.indices { link.mend(server) }
    var quietRounds = 0
    for _ in 0..<Self.roundLimit {
      announce()
      answerAll()
      guard divergence == nil else { return }
      if let deadline = store.nextDeadline {
        quietRounds = 0
        now = max(now, deadline)
        store.advance(to: now)
        didCall()
      } else {
        // Once more, now that nothing is missing: what waits for the server hears of it.
        quietRounds += 1
        if quietRounds == 2 { return }
      }
    }
    let deadline = store.nextDeadline?.nanoseconds ?? 0
    diverge(
      .comesToRest, about: "the store", expected: "no deadline after \(Self.roundLimit) rounds",
      found: "one at \(deadline) ns")
  }

  private mutating func announce() {
    for server in world.servers {
      store.receiveHeartbeat(server.place, at: now)
      didCall()
    }
  }

  mutating func answerAll() {
    for _ in 0..<Self.answerLimit {
      guard divergence == nil else { return }
      if !reconciles.isEmpty {
        answer(reconciles.removeFirst())
      } else if !fetches.isEmpty {
        answer(fetches.removeFirst())
      } else {
        return
      }
    }
    let found = "\(fetches.count) fetches, \(reconciles.count) reconciles"
    diverge(
      .comesToRest, about: "the store", expected: "no fetch after \(Self.answerLimit) answers",
      found: found)
  }
}
