import CacheModel
import NormalizedCache

/// The end of a run: faults stop, and everything in flight is answered until nothing is.
extension FaultRun {
  /// More deadlines than the longest back-off can need.
  private static let deadlineLimit = 64
  /// More answers than a sound store can ask for without anything new happening.
  private static let answerLimit = 1_000

  /// Lets the servers announce where they stand until the store asks for nothing more.
  mutating func comeToRest() {
    for server in world.servers.indices { link.restore(server) }
    storeAll()
    settleChanges()
    for _ in 0..<2 {
      announce()
      answerAll()
      passDeadlines()
    }
    // Once more: what was marked stale while the store waited is fetched again.
    announce()
    answerAll()
    storeAll()
  }

  private mutating func announce() {
    for server in world.servers where divergence == nil {
      store.receiveHeartbeat(server.place, at: now)
      didCall()
    }
  }

  /// Lets time pass until the store waits for no instant any more, but for those at which it polls.
  mutating func passDeadlines() {
    for _ in 0..<Self.deadlineLimit {
      guard divergence == nil, let deadline = store.nextDeadlineBesidesPolls else { return }
      now = max(now, deadline)
      store.advance(to: now)
      didCall()
      answerAll()
    }
    let found = "one at \(store.nextDeadline?.nanoseconds ?? 0) ns, now \(now.nanoseconds) ns"
    diverge(
      .comesToRest, about: "the store", expected: "no deadline after \(Self.deadlineLimit) of them",
      found: found)
  }

  mutating func answerAll() {
    for _ in 0..<Self.answerLimit {
      guard divergence == nil else { return }
      checkCounts()
      if !reconciles.isEmpty {
        answer(reconciles.removeFirst())
      } else if !fetches.isEmpty {
        answer(fetches.removeFirst())
      } else if storageIsAsked {
        attendToStorage()
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
