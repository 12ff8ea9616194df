import CacheChecking
import CacheModel
import CacheSimulation
import Workloads

/// A cache as apps write it by hand: whole answers, whose rows it changes in place.
///
/// It knows neither sequences nor the order of lists. One defect may be planted in it.
final class PatchingCache: CacheUnderTest {
  enum Defect: CaseIterable {
    case takesOlder, dropsEverySecondEvent, takesHalfOfAnEvent, raisesTheDead, keepsTheDeleted
    case answersOverEvents, mixesTargets, servesNothingOffline, forgetsARow
    case reversesRows, answersOneOfTwo, answersRefusedWithNothing, servesBeforeAsking
    case forgesVersions, forgetsToFail, loses, asksForEver, wakesForEver, isFickle, tellsOldRows
    case restoresARowTwice, storesWhatItWasNotSent, opensParts, servesPartsAsWholes

    /// A case that shows it.
    var place: String {
      switch self {
      case .takesOlder: "reorder/1"
      case .dropsEverySecondEvent: "events/2"
      case .takesHalfOfAnEvent: "events/11"
      case .raisesTheDead: "reorder/3"
      case .keepsTheDeleted: "events/6"
      case .answersOverEvents: "reorder/4"
      case .mixesTargets: "reads/3"
      case .servesNothingOffline: "offline/2"
      case .forgetsARow: "reads/1"
      case .reversesRows: "reads/6"
      case .answersOneOfTwo: "requests/1"
      case .answersRefusedWithNothing: "requests/4"
      case .servesBeforeAsking: "reads/1"
      case .forgesVersions: "reads/1"
      case .forgetsToFail: "requests/4"
      case .loses: "requests/3"
      case .asksForEver: "requests/8"
      case .wakesForEver: "time/1"
      case .isFickle: "repeat/1"
      case .tellsOldRows: "observers/2"
      case .restoresARowTwice, .storesWhatItWasNotSent: "relaunch/1"
      case .opensParts: "parts/2"
      case .servesPartsAsWholes: "parts/3"
      }
    }
  }

  private typealias Target = CacheReply.Target

  private let defect: Defect?
  /// A query, and its rows: states, since of one object a greater one is later.
  ///
  /// The highest bit says that a row shows a part of its state.
  private var answers: [(target: Target, rows: [UInt32], isStale: Bool)] = []
  private var requests: [(id: Int, target: Target, turns: [Int])] = []
  private var latest: [UInt32: UInt32] = [:]
  private var dead: [UInt32] = []
  private var views: [Int] = []
  private var lastID = 0
  private var events = 0
  private var isUp = true
  nonisolated(unsafe) private static var started = 0

  let features: Set<CacheFeature> = [.parts, .storage]

  init(_ defect: Defect?, _ stored: [StoredText] = []) {
    self.defect = defect
    for text in stored {
      guard let query = Int(text.key) else { continue }
      var rows = text.value.split(separator: " ").compactMap { UInt32($0) }
      if defect == .restoresARowTwice { rows += rows.suffix(1) }
      if defect == .storesWhatItWasNotSent { rows = rows.map { $0 + 1 } }
      note(rows)
      answers.append((.query(query), rows, false))
    }
    if defect == .isFickle {
      Self.started += 1
      lastID = Self.started
    }
  }

  func end() {}

  func take(_ turn: CacheTurn) -> TurnAnswer {
    var replies: [CacheReply] = []
    switch turn.operation {
    case .read(let query): read(.query(query), turn.number, &replies)
    case .observe(let query):
      views.append(query)
      read(.query(query), turn.number, &replies)
    case .unobserve(let query): views.removeAll { $0 == query }
    case .open(let object): read(.object(object), turn.number, &replies)
    case .event(let event): take(event, &replies)
    case .response(let id, let response): take(response, to: id, &replies)
    case .link(let isUp): self.isUp = isUp
    case .tag, .heartbeat, .wake, .write, .answer: break
    }
    // All of it, again and again: what changed is not its business.
    for case (.query(let query), let rows, _) in answers where !replies.isEmpty {
      replies.append(
        .store(key: "\(query)", rows.map { "\($0)" }.joined(separator: " ")))
    }
    return TurnAnswer(replies: replies, wake: defect == .wakesForEver ? turn.at : nil)
  }

  private func place(of target: Target) -> Int? {
    answers.firstIndex { answer in
      if defect == .mixesTargets, case .query = answer.target, case .query = target { return true }
      return answer.target == target
    }
  }

  private func read(_ target: Target, _ turn: Int, _ replies: inout [CacheReply]) {
    if defect == .opensParts, case .object(let object) = target,
      let row = answers.lazy.flatMap(\.rows).first(where: { self.object(of: $0) == object })
    {
      replies.append(.serve(turn: turn, rows([row])))
    } else if defect == .servesPartsAsWholes, target == .query(ConformanceWorld.List.docs.rawValue),
      let parts = answers.first(where: {
        $0.target == .query(ConformanceWorld.List.cards.rawValue)
      })
    {
      replies.append(.serve(turn: turn, rows(parts.rows)))
    } else if let place = place(of: target), !answers[place].isStale || !isUp {
      replies.append(.serve(turn: turn, rows(answers[place].rows)))
    } else if defect == .servesNothingOffline, !isUp || defect == .servesBeforeAsking {
      replies.append(.serve(turn: turn, []))
    } else if defect == .servesBeforeAsking {
      replies.append(.serve(turn: turn, []))
    } else if let index = requests.firstIndex(where: { $0.target == target }) {
      requests[index].turns.append(turn)
    } else {
      ask(target, [turn], &replies)
    }
  }

  private func ask(_ target: Target, _ turns: [Int], _ replies: inout [CacheReply]) {
    lastID += 1
    requests.append((lastID, target, turns))
    replies.append(.fetch(id: lastID, target, since: nil))
  }

  private func rows(_ states: [UInt32]) -> [ServedRow] {
    var rows = states.map { state in
      var row = SentRow(
        object: object(of: state), state: whole(state), version: .none,
        isPart: whole(state) != state
      ).served
      if defect == .forgesVersions { row.version += 1 }
      return row
    }
    if defect == .forgetsARow { rows = rows.dropLast() }
    if defect == .reversesRows, rows.count > 100 { rows.reverse() }
    return rows
  }

  private func object(of state: UInt32) -> UInt32 {
    ConformanceWorld.workload.catalog.revisions[Int(whole(state))].object
  }

  private static let partBit: UInt32 = 1 << 31

  /// The state of which a row shows a part, or all.
  private func whole(_ state: UInt32) -> UInt32 { state & ~Self.partBit }

  /// Notes which state of each object was sent last, as far as it was sent whole.
  private func note(_ rows: [UInt32]) {
    for row in rows where whole(row) == row { latest[object(of: row)] = row }
  }

  /// The latest received state of its object; `nil`: it is deleted.
  private func newest(_ state: UInt32) -> UInt32? {
    if dead.contains(object(of: state)), defect != .raisesTheDead { return nil }
    guard let known = latest[object(of: state)], known > whole(state) else { return state }
    return known
  }

  private func take(_ response: CacheOperation.Response, to id: Int, _ replies: inout [CacheReply])
  {
    guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
    let place = defect == .loses ? 0 : index
    let (_, target, turns) = requests.remove(at: place)
    var served: [UInt32]?
    if case .rows(let sent, _, _) = response {
      let states = sent.map { $0.isPart ? $0.state | Self.partBit : $0.state }
      for state in states where dead.contains(object(of: state)) && latest[object(of: state)] == nil
      {
        dead.removeAll { $0 == object(of: state) }
      }
      let rows = defect == .answersOverEvents ? states : states.compactMap { newest($0) }
      note(rows)
      answers.removeAll { $0.target == target }
      answers.append((target, rows, false))
      served = rows
    } else if case .refused = response {
      if defect == .asksForEver { return ask(target, turns, &replies) }
      if defect == .forgetsToFail { return }
      served = defect == .answersRefusedWithNothing ? [] : nil
    } else {
      served = answers.first { $0.target == target }?.rows
    }
    for turn in defect == .answersOneOfTwo ? Array(turns.prefix(1)) : turns {
      replies.append(served.map { .serve(turn: turn, rows($0)) } ?? .fail(turn: turn))
    }
    if case .query(let query) = target, views.contains(query), turns.isEmpty, let served {
      replies.append(.notify(query: query, rows(served)))
    }
  }

  private func take(_ event: CacheOperation.Event, _ replies: inout [CacheReply]) {
    events += 1
    if defect == .dropsEverySecondEvent, events.isMultiple(of: 2) { return }
    switch event.content {
    case .changed(let rows):
      let states = rows.map(\.state)
      for state in defect == .takesHalfOfAnEvent ? Array(states.prefix(1)) : states {
        change(to: state, &replies)
      }
    case .deleted(let objects, _):
      if defect == .keepsTheDeleted { return }
      dead += objects
      for index in answers.indices {
        answers[index].rows.removeAll { objects.contains(object(of: $0)) }
      }
    case .mayHaveChanged:
      for index in answers.indices {
        answers[index].isStale = true
        let target = answers[index].target
        if case .query(let query) = target, views.contains(query) { ask(target, [], &replies) }
      }
    case .nothing: break
    }
  }

  private func change(to state: UInt32, _ replies: inout [CacheReply]) {
    let object = object(of: state)
    if dead.contains(object), defect != .raisesTheDead { return }
    if defect != .takesOlder, let known = latest[object], known >= state { return }
    latest[object] = state
    if defect == .raisesTheDead, dead.contains(object), !answers.isEmpty {
      answers[0].rows.append(state)
    }
    for index in answers.indices {
      guard let row = answers[index].rows.firstIndex(where: { self.object(of: $0) == object })
      else { continue }
      let before = answers[index].rows
      answers[index].rows[row] = state
      if case .query(let query) = answers[index].target, views.contains(query) {
        replies.append(
          .notify(
            query: query, rows(defect == .tellsOldRows ? before : answers[index].rows)))
      }
    }
  }
}
