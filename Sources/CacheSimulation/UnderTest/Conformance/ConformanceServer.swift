import CacheModel
import NormalizedCache
import Workloads

/// The server of a case: what it has now, and what it did.
struct ConformanceServer {
  /// By object; `nil`: it is not there.
  private(set) var current: [UInt32?] =
    (0..<ConformanceWorld.initialCount).map { UInt32($0) }
    + Array(repeating: nil, count: ConformanceWorld.objectCount - ConformanceWorld.initialCount)
  private(set) var position = StreamPosition(epoch: 1, sequence: 1)
  /// What it did in this epoch, in order: the first has the sequence 2.
  private(set) var events: [CacheTurn.Event] = []
  /// Whether it still knows what it did.
  var remembers = true

  mutating func commit(_ commit: ConformanceStep.Commit) {
    position.sequence += 1
    let content: CacheTurn.Event.Content
    switch commit {
    case .change(let names):
      content = .changed(set(names))
    case .delete(let name):
      let object = ConformanceWorld.object(of: ConformanceWorld.state(name))
      current[Int(object)] = nil
      content = .deleted([object], ConformanceWorld.deletion(of: object))
    case .untold(let names):
      _ = set(names)
      content = .mayHaveChanged(EntityKind.file.resourceType, location: nil)
    case .nothing: content = .nothing
    }
    events.append(CacheTurn.Event(position: position, content: content))
  }

  private mutating func set(_ names: String) -> [UInt32] {
    let states = names.split(separator: " ").map { ConformanceWorld.state(String($0)) }
    for state in states { current[Int(ConformanceWorld.object(of: state))] = state }
    return states
  }

  /// Begins a new count, and knows nothing of the one before.
  mutating func restart() {
    position = StreamPosition(epoch: position.epoch + 1, sequence: 1)
    events = []
  }

  /// The event with a sequence.
  func event(_ sequence: Int) -> CacheTurn.Event { events[sequence - 2] }

  func rows(of target: CacheReply.Target) -> [UInt32] {
    switch target {
    case .query(let query):
      ConformanceWorld.List(rawValue: query).map { ConformanceWorld.rows(of: $0, current) } ?? []
    case .object(let object): current[Int(object)].map { [$0] } ?? []
    }
  }

  /// What it answers to a fetch that it reads now.
  func answer(to target: CacheReply.Target, unless place: StreamPosition?) -> CacheTurn.Response {
    if place == position { return .notModified(position) }
    let isTop = target == .query(ConformanceWorld.List.top.rawValue)
    let hasMore = isTop && ConformanceWorld.rows(of: .docs, current).count > rows(of: target).count
    return .rows(rows(of: target), hasMore: hasMore, position)
  }

  /// What it answers to the question for what came after a place.
  func answer(after place: StreamPosition) -> CacheTurn.Response {
    guard remembers, place.epoch == position.epoch, place.sequence >= 1 else {
      return .tooOld(position)
    }
    return .events(Array(events.dropFirst(Int(place.sequence) - 1)), through: position)
  }
}
