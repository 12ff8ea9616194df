package import CacheModel
import NormalizedCacheCore
import Workloads

/// What somebody else than the simulation has put together: told to the cache, which may serve from then
/// on what it was sent.
extension ExternalCacheDriver {
  /// Tells of a change.
  package mutating func tell(_ event: CacheTurn.Event, at now: Instant) {
    note(sent: event)
    take(.event(event), at: now)
  }

  /// Answers a request, by the number that the cache gave it.
  package mutating func tell(_ response: CacheTurn.Response, to request: Int, at now: Instant) {
    switch response {
    case .rows(let rows, _, _): note(sent: rows)
    case .events(let events, _): for event in events { note(sent: event) }
    case .notModified, .tooOld, .unreachable, .refused: break
    }
    end(request, response, at: now)
  }

  /// Tells of a write of the user's.
  package mutating func take(_ write: CacheTurn.Write, at now: Instant) {
    let mutation = SimulatedMutation(
      token: WriteNames.token(of: write.token), library: input.workload.library, edits: [])
    take(write, of: mutation, at: now)
  }

  /// Says what became of a write.
  package mutating func tell(_ answer: CacheTurn.Answer, toWrite token: UInt32, at now: Instant) {
    if case .confirmed(let confirmation) = answer { note(sent: confirmation.rows) }
    end(WriteNames.token(of: token), answer, at: now)
  }

  /// The first of the user's writes that has no answer, by its token.
  package var unansweredWrite: UInt32? { writes.first?.number }

  /// Lets go what the cache said that the simulation would carry out.
  package mutating func dropActions() {
    answered.removeAll(keepingCapacity: true)
    actions.removeAll(keepingCapacity: true)
  }

  private mutating func note(sent event: CacheTurn.Event) {
    if case .changed(let rows) = event.content { note(sent: rows) }
  }

  private mutating func note(sent rows: [SentRow]) {
    for row in rows { isSent[Int(row.state)] = true }
  }
}
