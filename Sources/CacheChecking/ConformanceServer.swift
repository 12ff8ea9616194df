import CacheModel
import CacheSimulation
import Workloads

/// The server of a case: its current state, and its commits.
struct ConformanceServer {
  /// The state of each object; `nil`: it does not exist.
  private(set) var current: [UInt32?] =
    (0..<ConformanceWorld.initialCount).map { UInt32($0) }
    + Array(repeating: nil, count: ConformanceWorld.objectCount - ConformanceWorld.initialCount)
  private(set) var position = StreamPosition(epoch: 1, sequence: 1)
  /// The commits of this epoch, in order: the first has sequence number 2.
  private(set) var events: [CacheOperation.Event] = []
  /// Whether it still has the commits.
  var remembers = true
  /// The results of writes, by token.
  private var fates: [UInt32: CacheOperation.Answer] = [:]
  private(set) var carriedOut = 0

  /// Commits a change: with the token of the user's write, or without one for another client's.
  mutating func commit(
    _ commit: ConformanceStep.Commit, token: UInt32? = nil, keys: [CacheOperation.Key] = []
  ) {
    position.sequence += 1
    let before = current
    let content: CacheOperation.Event.Content
    switch commit {
    case .change(let names):
      content = .changed(set(names).map { ConformanceWorld.sent($0) })
    case .delete(let name):
      let object = ConformanceWorld.object(of: ConformanceWorld.state(name))
      current[Int(object)] = nil
      content = .deleted([object], ConformanceWorld.deletion(of: object))
    case .untold(let names):
      _ = set(names)
      content = .mayHaveChanged(ConformanceWorld.file, location: nil)
    case .nothing: content = .nothing
    }
    var event = CacheOperation.Event(position: position, token: token, keys: keys, content: content)
    event.lists = lists(from: before, told: content)
    events.append(event)
  }

  private func lists(
    from before: [UInt32?], told content: CacheOperation.Event.Content
  ) -> [ListChange] {
    var told: Set<UInt32> = []
    if case .changed(let rows) = content {
      told = Set(rows.map { ConformanceWorld.object(of: $0.state) })
    }
    func objects(_ list: ConformanceWorld.List, _ states: [UInt32?]) -> [UInt32] {
      ConformanceWorld.rows(of: list, states).map { ConformanceWorld.object(of: $0) }
    }
    return ConformanceWorld.List.allCases.compactMap { list in
      ListStep(list.rawValue, from: objects(list, before), to: objects(list, current)) {
        before[Int($0)] != current[Int($0)]
      }?.told(with: told)
    }
  }

  /// Applies a write, or repeats its earlier result.
  ///
  /// The client number is that of the created object, if any.
  mutating func take(
    _ token: UInt32, _ commit: ConformanceStep.Commit, clientNumber: UInt32?
  ) -> CacheOperation.Answer {
    if let fate = fates[token] { return fate }
    let fate = answer(to: token, commit, clientNumber: clientNumber)
    fates[token] = fate
    return fate
  }

  private mutating func answer(
    to token: UInt32, _ commit: ConformanceStep.Commit, clientNumber: UInt32?
  ) -> CacheOperation.Answer {
    guard let state = commit.state else { return .refused }
    let object = ConformanceWorld.object(of: state)
    // An object that does not exist can only be created.
    guard (current[Int(object)] == nil) == (clientNumber != nil) else { return .refused }
    let keys = clientNumber.map { [CacheOperation.Key(client: $0, server: object)] } ?? []
    self.commit(commit, token: token, keys: keys)
    carriedOut += 1
    var confirmation = CacheOperation.Confirmation(position: position)
    if let now = current[Int(object)] {
      confirmation.rows = [ConformanceWorld.sent(now)]
    } else {
      confirmation.deleted = [object]
      confirmation.deletion = ConformanceWorld.deletion(of: object)
    }
    confirmation.keys = keys
    return .confirmed(confirmation)
  }

  private mutating func set(_ names: String) -> [UInt32] {
    let states = names.split(separator: " ").map { ConformanceWorld.state(String($0)) }
    for state in states { current[Int(ConformanceWorld.object(of: state))] = state }
    return states
  }

  /// Begins a new epoch, and forgets the previous one.
  mutating func restart() {
    position = StreamPosition(epoch: position.epoch + 1, sequence: 1)
    events = []
  }

  /// Returns the event with a sequence number; `nil`: none in this epoch, for example in a shortened case.
  func event(_ sequence: Int) -> CacheOperation.Event? {
    events.indices.contains(sequence - 2) ? events[sequence - 2] : nil
  }

  func rows(of target: CacheReply.Target) -> [UInt32] {
    switch target {
    case .query(let query):
      ConformanceWorld.List(rawValue: query).map { ConformanceWorld.rows(of: $0, current) } ?? []
    case .object(let object): current[Int(object)].map { [$0] } ?? []
    }
  }

  /// Returns the answer to a fetch that it reads now.
  func answer(to target: CacheReply.Target, unless place: StreamPosition?)
    -> CacheOperation.Response
  {
    if place == position { return .notModified(position) }
    let isTop = target == .query(ConformanceWorld.List.top.rawValue)
    let hasMore = isTop && ConformanceWorld.rows(of: .docs, current).count > rows(of: target).count
    let arePart = target == .query(ConformanceWorld.List.cards.rawValue)
    return .rows(
      rows(of: target).map { ConformanceWorld.sent($0, isPart: arePart) }, hasMore: hasMore,
      position)
  }

  /// Returns the answer to a request for the events after a position.
  func answer(after place: StreamPosition) -> CacheOperation.Response {
    guard remembers, place.epoch == position.epoch, place.sequence >= 1 else {
      return .tooOld(position)
    }
    return .events(Array(events.dropFirst(Int(place.sequence) - 1)), through: position)
  }
}
