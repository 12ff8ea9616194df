package import CacheModel
import NormalizedCacheCore
import Workloads

/// Operations that somebody other than the simulation has put together: the cache may serve from then on
/// what they bring.
extension ExternalCacheDriver {
  package mutating func perform(_ operation: CacheOperation, at now: Instant) {
    switch operation {
    case .read(let query), .observe(let query): _ = ask(.query(query), operation, at: now)
    case .open(let object): _ = ask(.object(object), operation, at: now)
    case .event(let event):
      note(sent: event)
      take(operation, at: now)
    case .response(let request, let response):
      if case .rows(let rows, _, _) = response { note(sent: rows) }
      if case .events(let events, _) = response { for event in events { note(sent: event) } }
      end(request, response, at: now)
    case .write(let write):
      let mutation = SimulatedMutation(
        token: WriteNames.token(of: write.token), library: input.workload.library, edits: [])
      take(write, of: mutation, at: now)
    case .answer(let token, let answer):
      if case .confirmed(let confirmation) = answer { note(sent: confirmation.rows) }
      end(WriteNames.token(of: token), answer, at: now)
    case .unobserve, .tag, .heartbeat, .link, .wake: take(operation, at: now)
    }
  }

  /// The first of the user's writes that has no answer, by its token.
  package var unansweredWrite: UInt32? { writes.first?.number }

  /// Lets go what the cache said that the simulation would carry out.
  package mutating func dropActions() {
    answered.removeAll(keepingCapacity: true)
    actions.removeAll(keepingCapacity: true)
  }

  private mutating func note(sent event: CacheOperation.Event) {
    if case .changed(let rows) = event.content { note(sent: rows) }
  }

  private mutating func note(sent rows: [SentRow]) {
    for row in rows { isSent[Int(row.state)] = true }
  }
}
