import CacheModel
import CacheSimulation
import Containers
import StreamingRepositoryCore

extension RepositoryUnderTest {
  /// A failed request, as the app sees it.
  private struct NoAnswer: Error {}

  // MARK: Requests

  // Requests of the store have even numbers, those with answers that are not stored have odd ones.

  func takeActions() {
    for action in store.takeActions() {
      switch action {
      case .fetch(let number, let key, _):
        replies.append(.fetch(id: 2 * number.rawValue, key, since: nil))
      case .finish(let caller, _):
        // If the pull fails, the existing rows are used.
        guard let pull = pulls.removeValue(forKey: caller) else { break }
        if let states = states(of: pull.key) {
          answer(pull.key, pull.turn, states)
        } else {
          replies.append(.fail(turn: pull.turn))
        }
      // There is one account without logout, and failures are ignored.
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
    let states = input.states(of: sent)
    store.receive(states, bytes: input.bytes(of: states), for: number, at: now)
  }

  private func takeBypass(_ response: CacheOperation.Response, to id: Int) {
    guard let index = bypasses.firstIndex(where: { $0.id == id }) else { return }
    let turns = bypasses.remove(at: index).turns
    guard case .rows(let sent, _, _) = response else {
      for turn in turns { replies.append(.fail(turn: turn)) }
      return
    }
    let rows = input.rows(input.states(of: sent))
    for turn in turns { replies.append(.serve(turn: turn, rows)) }
  }

  // MARK: Reads

  func pull(_ key: Key, _ turn: Int) {
    lastCaller += 1
    pulls[CallerNumber(lastCaller)] = (key, turn)
    store.pull(key, by: CallerNumber(lastCaller), at: now)
  }

  /// Answers from the tables, or lets the read wait for the first answer.
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

  /// Answers reads whose collection now exists, and fails those without a pending request.
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

  /// Notifies views whose content has changed.
  func tellViews() {
    for query in touched where isOnScreen[query] {
      // A waiting view is notified by its answer.
      guard let states = states(of: .query(query)), let before = shown[query], states != before
      else { continue }
      show(states, in: query)
      replies.append(.notify(query: query, input.rows(states)))
    }
    touched = []
  }

  /// Notes the content of a view, whose values are in memory; `nil`: it was closed.
  func show(_ states: [UInt32]?, in query: Int) {
    shownBytes += size(of: states ?? []) - size(of: shown[query] ?? [])
    shown[query] = states
  }

  /// Returns the memory of a view's array and its values, each a separate allocation.
  private func size(of states: [UInt32]) -> Int {
    states.reduce(
      AllocationSize.array(capacity: states.count, stride: MemoryLayout<UInt>.stride)
    ) { $0 + AllocationSize.array(capacity: input.bytes(of: [$1]), stride: 1) }
  }
}

extension RepositoryUnderTest {
  // MARK: The user's changes

  func begin(_ write: CacheOperation.Write) {
    guard !write.edits.isEmpty else {
      // The affected entities are known after the confirmation.
      guard store.isOnline else { return }
      writes[write.token] = Write(change: nil, edits: [])
      return replies.append(.send(token: Int(write.token)))
    }
    let keys = keys(of: types(of: write.edits), objects: write.edits.map { object(of: $0) })
    do throws(RepositoryError) {
      let begun = try store.beginChange(of: keys, isOptimistic: true, at: now)
      layers.append(Layer(change: begun.number, edits: write.edits, collections: keys))
      writes[write.token] = Write(change: begun.number, edits: write.edits)
      replies.append(.send(token: Int(write.token)))
    } catch {
      // The change fails immediately, and is not shown.
    }
  }

  func end(_ token: UInt32, _ answer: CacheOperation.Answer) {
    guard let write = writes.removeValue(forKey: token) else { return }
    guard case .confirmed(let confirmation) = answer else {
      guard let change = write.change else { return }
      lastCaller += 1
      return store.failChange(change, by: CallerNumber(lastCaller), at: now)
    }
    if let change = write.change {
      store.completeChange(change, at: now)
    } else {
      let objects = confirmation.rows.map { input.object(of: $0.state) } + confirmation.deleted
      let keys = keys(of: Set(objects.compactMap { input.type(of: $0) }), objects: objects)
      // Fetches that conflict with the change are repeated by the next view.
      for key in keys { store.outdate(key) }
      guard let begun = try? store.beginChange(of: keys, isOptimistic: false, at: now) else {
        return
      }
      store.completeChange(begun.number, at: now)
    }
  }

  private func types(of edits: [CacheOperation.Edit]) -> Set<ResourceType> {
    Set(edits.compactMap { input.type(of: object(of: $0)) })
  }

  private func object(of edit: CacheOperation.Edit) -> UInt32 {
    switch edit {
    // Until the server assigns a number, it has the client's; its type is that of its state.
    case .create(_, let state): input.object(of: state)
    case .change(let object, _), .delete(let object): object
    }
  }

  /// Returns the known collections that may contain these types, or are these objects.
  private func keys(of types: Set<ResourceType>, objects: [UInt32]) -> [Key] {
    known.filter { key in
      switch key {
      case .query(let query): input.lists(query, any: types)
      case .object(let object): objects.contains(object)
      }
    }
  }

  // MARK: Displayed changes

  /// Returns the displayed content of a collection; `nil`: its request was never answered.
  func states(of key: Key) -> [UInt32]? {
    guard var states = tables[key] else { return nil }
    for layer in layers where layer.isVisible && layer.collections.contains(key) {
      apply(layer.edits, to: &states)
    }
    return states
  }

  /// Returns the displayed state of an entity in any collection; `nil`: in none.
  func shownState(of object: UInt32) -> UInt32? {
    guard let state = tables.state(of: object) else { return nil }
    var states = [state]
    for layer in layers where layer.isVisible { apply(layer.edits, to: &states) }
    return states.first
  }

  /// Returns whether the user has deleted an entity that is in the tables.
  func isDeleted(_ object: UInt32) -> Bool {
    tables.state(of: object) != nil && shownState(of: object) == nil
  }

  private func apply(_ edits: [CacheOperation.Edit], to states: inout [UInt32]) {
    for edit in edits {
      switch edit {
      case .change(let object, let state):
        for index in states.indices where input.object(of: states[index]) == object {
          states[index] = state
        }
      case .delete(let object): states.removeAll { input.object(of: $0) == object }
      case .create: break
      }
    }
  }

  func setVisible(_ change: ChangeNumber) {
    guard let index = layers.firstIndex(where: { $0.change == change }) else { return }
    layers[index].isVisible = true
    for key in layers[index].collections { touch(key) }
  }

  func hide(_ change: ChangeNumber) {
    guard let index = layers.firstIndex(where: { $0.change == change }) else { return }
    for key in layers.remove(at: index).collections { touch(key) }
  }

  /// Removes changes from a collection that was written again.
  func settle(_ changes: [ChangeNumber], of key: Key) {
    guard !changes.isEmpty else { return }
    for index in layers.indices where changes.contains(layers[index].change) {
      layers[index].collections.removeAll { $0 == key }
    }
    layers.removeAll { $0.collections.isEmpty }
  }
}
