/// One action of one user, in nanoseconds.
struct ClientAction {
  enum Kind: String { case read, observe, unobserve }
  var at: Int64
  var kind: Kind
  var query: Int
}

/// The effect of a client's rules on some actions: the reads served without waiting, and the requests.
struct ClientOutcome: Equatable {
  var hits: Set<Int64> = []
  var requests = 0
}

/// Relay's rules, written from its sources alone, over names and times: no rows, no events.
///
/// In `packages/relay-runtime`: a root is a query that is retained, or in the buffer of 10
/// (`store/RelayModernStore.js`, `retain`). What is answered without a root becomes one while the
/// buffer has room (`_recordSourceOperation`). Only what pushes a query out collects, and then all that
/// no root reaches (`_collect`). A request whose last subscriber goes is cancelled
/// (`query/fetchQueryInternal.js`).
struct RelayRules {
  let roundTrip: Int64
  private var buffer: [Int] = []
  private var retained: [Int: Int] = [:]
  private var stored: Set<Int> = []
  /// By query: when it is answered, how many views wait, and whether anybody else does.
  private var requests: [Int: (at: Int64, views: Int, hasReader: Bool)] = [:]

  init(roundTrip: Int64) { self.roundTrip = roundTrip }

  mutating func run(_ actions: [ClientAction]) -> ClientOutcome {
    var outcome = ClientOutcome()
    for action in actions {
      answer(until: action.at)
      let query = action.query
      guard action.kind != .unobserve else {
        leave(query)
        continue
      }
      if action.kind == .observe { retain(query) }
      if stored.contains(query) {
        outcome.hits.insert(action.at)
        continue
      }
      if requests[query] == nil {
        requests[query] = (action.at + roundTrip, 0, false)
        outcome.requests += 1
      }
      if action.kind == .observe {
        requests[query]?.views += 1
      } else {
        requests[query]?.hasReader = true
      }
    }
    return outcome
  }

  private mutating func answer(until now: Int64) {
    let due = requests.filter { $0.value.at <= now }.sorted { $0.value.at < $1.value.at }
    for (query, _) in due {
      requests[query] = nil
      stored.insert(query)
      if retained[query] == nil, !buffer.contains(query), buffer.count < 10 {
        buffer.append(query)
      }
    }
  }

  private mutating func retain(_ query: Int) {
    buffer.removeAll { $0 == query }
    retained[query, default: 0] += 1
  }

  private mutating func leave(_ query: Int) {
    if let request = requests[query], request.views > 0 {
      requests[query]?.views -= 1
      if request.views == 1, !request.hasReader { requests[query] = nil }
    }
    retained[query, default: 1] -= 1
    guard retained[query] == 0 else { return }
    retained[query] = nil
    buffer.append(query)
    guard buffer.count > 10 else { return }
    buffer.removeFirst()
    stored = stored.filter { retained[$0] != nil || buffer.contains($0) }
  }
}

/// SWR's rules for a user who has one view at a time, written from its sources alone.
///
/// In `src/index/use-swr.ts`: a request leaves a mark, which goes 2 s after its answer; a component
/// asks when it appears, unless there is a mark: at once without data, by a timer of 1 ms
/// (`src/_internal/utils/env.ts`) with data, and then only if it is still there. Marks are part of the
/// state that goes with the tree of the view (`src/_internal/utils/cache.ts`); the data stay.
struct SWRRules {
  let roundTrip: Int64
  private let interval: Int64 = 2_000_000_000
  private let delay: Int64 = 1_000_000
  private var arrival: [Int: Int64] = [:]
  private var marks: [Int: Int64] = [:]
  /// The view's query that will ask, and when.
  private var intended: (at: Int64, query: Int)?

  init(roundTrip: Int64) { self.roundTrip = roundTrip }

  mutating func run(_ actions: [ClientAction]) -> ClientOutcome {
    var outcome = ClientOutcome()
    var shown: Int?
    for action in actions {
      let query = action.query
      if let intention = intended, intention.at <= action.at {
        intended = nil
        ask(intention, &outcome)
      }
      if action.kind == .unobserve {
        shown = nil
        intended = nil
        marks = [:]
        continue
      }
      if action.kind == .observe { shown = query }
      let hasData = arrival[query].map { $0 <= action.at } ?? false
      if hasData { outcome.hits.insert(action.at) }
      if let mark = marks[query], mark > action.at { continue }
      if !hasData || query != shown {
        ask((action.at, query), &outcome)
      } else if intended == nil {
        intended = (action.at + delay, query)
      }
    }
    if let intention = intended { ask(intention, &outcome) }
    return outcome
  }

  private mutating func ask(_ asked: (at: Int64, query: Int), _ outcome: inout ClientOutcome) {
    outcome.requests += 1
    let answered = asked.at + roundTrip
    arrival[asked.query] = min(arrival[asked.query] ?? .max, answered)
    marks[asked.query] = answered + interval
  }
}
