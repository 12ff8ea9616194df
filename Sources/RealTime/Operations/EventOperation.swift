import CacheModel
import NormalizedCache
import ResultModel
import Synchronization

/// Changes that a cache with ten observers of each listing is told of, decoded and waiting.
struct EventOperation: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  /// Handed over, not shared, as they come from a decoder; the next is the last.
  private var events: [FileEvent] = []
  private let entities: Int
  private let library: FileLibrary
  private let calls = Calls()

  private final class Calls: Sendable {
    let count = Atomic(0)
  }

  init(entities: Int, clock: any CacheClock) async throws {
    self.entities = entities
    library = FileLibrary.standard(seed: HotOperation.seed)
    cache = try await NormalizedCache.filled(with: library, clock: clock)
    for key in library.queryKeys {
      for _ in 0..<ObserverBoard.observersPerListing {
        _ = await cache.observe(key) { [calls] _, _ in calls.count.add(1, ordering: .relaxed) }
      }
    }
    calls.count.store(0, ordering: .relaxed)
  }

  mutating func prepare(_ count: Int) { events = library.events(of: entities, count: count) }

  mutating func perform(_ count: Int) async -> Int {
    for _ in 0..<count {
      guard let event = events.popLast() else { preconditionFailure("no event is left") }
      await cache.receive(event)
    }
    return calls.count.load(ordering: .relaxed)
  }
}

/// Changes that a store without an actor is told of.
final class StoreEventOperation: Subject {
  private var store: CacheStore<MeasurementSchema>
  private let library = FileLibrary.standard(seed: HotOperation.seed)
  private var events: [FileEvent] = []
  private var actions: [CacheAction] = []

  init() throws {
    store = try CacheStore.filled(with: library)
  }

  func prepare(_ count: Int) { events = library.events(of: 1, count: count) }

  func perform(_ count: Int) -> Int {
    var told = 0
    for _ in 0..<count {
      guard let event = events.popLast() else { preconditionFailure("no event is left") }
      store.receive(event, at: .zero)
      store.takeActions(into: &actions)
      told += actions.count
    }
    return told
  }
}

extension HotOperation {
  /// Of all that is drawn for an operation: two builds do the same.
  static let seed: UInt64 = 1
}

extension FileLibrary {
  /// Events of so many files each, the first of them last.
  fileprivate func events(of entities: Int, count: Int) -> [FileEvent] {
    (0..<count).map { index in
      let changed = Self.files(ofChange: index, count: entities, among: fileCount)
        .map { entity(file: $0, revision: index + 1) }
      return FileEvent(
        place: place(sequence: index + 1),
        event: entities == 1 ? .changed(changed[0]) : .batchChanged(changed))
    }.reversed()
  }
}
