import CacheModel
import CacheSimulation
import Containers
import StreamingRepositoryCore

extension RepositoryUnderTest {
  /// What became of a request, as far as the app can tell.
  private struct NoAnswer: Error {}

  // MARK: Requests

  // Requests of the store have even numbers, those whose answers are not kept odd ones.

  func takeActions() {
    for action in store.takeActions() {
      switch action {
      case .fetch(let number, let key, _):
        replies.append(.fetch(id: 2 * number.rawValue, key, since: nil))
      case .finish(let caller, _):
        // Where the pull has failed, what is there has to do.
        guard let pull = pulls.removeValue(forKey: caller) else { break }
        if let states = states(of: pull.key) {
          answer(pull.key, pull.turn, states)
        } else {
          replies.append(.fail(turn: pull.turn))
        }
      // One account, which never logs out; and no one listens to failures.
      case .cancel, .report: break
      }
    }
  }

  func bypass(_ key: Key, _ turn: Int) {
    if let index = bypasses.firstIndex(where: { $0.key == key }) {
      bypasses[index].turns.append(turn)
      return
    }
    lastBypass += 1
    bypasses.append((id: 2 * lastBypass + 1, key: key, turns: [turn]))
    replies.append(.fetch(id: 2 * lastBypass + 1, key, since: nil))
  }

  func take(_ response: CacheOperation.Response, to id: Int) {
    guard id.isMultiple(of: 2) else { return takeBypass(response, to: id) }
    let number = RequestNumber(id / 2)
    guard case .rows(let sent, _, _) = response else {
      return store.fail(number, .source(NoAnswer()), at: now)
    }
    let states = sent.map(\.state)
    store.receive(states, bytes: input.bytes(of: states), for: number, at: now)
  }

  private func takeBypass(_ response: CacheOperation.Response, to id: Int) {
    guard let index = bypasses.firstIndex(where: { $0.id == id }) else { return }
    let turns = bypasses.remove(at: index).turns
    guard case .rows(let sent, _, _) = response else {
      for turn in turns { replies.append(.fail(turn: turn)) }
      return
    }
    let rows = input.rows(sent.map(\.state))
    for turn in turns { replies.append(.serve(turn: turn, rows)) }
  }

  // MARK: Reads

  func pull(_ key: Key, _ turn: Int) {
    lastCaller += 1
    pulls[CallerNumber(lastCaller)] = (key, turn)
    store.pull(key, by: CallerNumber(lastCaller), at: now)
  }

  /// Answers from the tables, or has the read wait for the first answer.
  func serve(_ key: Key, _ turn: Int) {
    if let states = states(of: key) { return answer(key, turn, states) }
    if let index = readers.firstIndex(where: { $0.key == key }) {
      readers[index].turns.append(turn)
    } else {
      readers.append((key, [turn]))
    }
  }

  func answer(_ key: Key, _ turn: Int, _ states: [UInt32]) {
    replies.append(.serve(turn: turn, input.rows(states)))
    if case .query(let query) = key, isOnScreen[query] { show(states, in: query) }
  }

  /// Answers who waits for what is there now, and gives those up who wait for nothing.
  func answerReaders() {
    guard !readers.isEmpty else { return }
    var waiting: [(key: Key, turns: [Int])] = []
    for reader in readers {
      if let states = states(of: reader.key) {
        for turn in reader.turns { answer(reader.key, turn, states) }
      } else if store.isUnderway(reader.key) {
        waiting.append(reader)
      } else {
        for turn in reader.turns { replies.append(.fail(turn: turn)) }
      }
    }
    readers = waiting
  }

  // MARK: Views

  func touch(_ key: Key) {
    if case .query(let query) = key, isOnScreen[query] { touched.append(query) }
  }

  /// Tells views what they show now, where that has changed.
  func tellViews() {
    for query in touched where isOnScreen[query] {
      // A view that waits is told by its answer.
      guard let states = states(of: .query(query)), let before = shown[query], states != before
      else { continue }
      show(states, in: query)
      replies.append(.notify(query: query, input.rows(states)))
    }
    touched = []
  }

  /// Keeps what a view shows, whose values are in memory; `nil`: it has gone.
  func show(_ states: [UInt32]?, in query: Int) {
    shownBytes += size(of: states ?? []) - size(of: shown[query] ?? [])
    shown[query] = states
  }

  /// What a view's array takes, and an app's values in it, each of them one piece of memory.
  private func size(of states: [UInt32]) -> Int {
    states.reduce(
      AllocationSize.array(capacity: states.count, stride: MemoryLayout<UInt>.stride)
    ) { $0 + AllocationSize.array(capacity: input.bytes(of: [$1]), stride: 1) }
  }
}
