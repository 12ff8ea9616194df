import CacheModel
import NormalizedCache

/// The whole cache: its actor, and ten observers of each query that it calls back.
struct CacheEvents: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock
  private var supply: EventSupply

  init(library: FileLibrary, script: EventScript, clock: ContinuousCacheClock) async throws {
    self.clock = clock
    supply = EventSupply(script: script)
    board = ObserverBoard(listings: library.directories, clock: clock)
    cache = try await NormalizedCache.filled(with: library, clock: clock)
    for (directory, key) in library.queryKeys.enumerated() {
      for index in 0..<ObserverBoard.observersPerListing {
        let observer = board.observer(index, of: directory)
        _ = await cache.observe(key) { _, _ in observer() }
      }
      // What happened while the cache was being filled is no event's.
      board.begin(directory)
    }
  }

  mutating func prepare(_ count: Int) throws { try supply.prepare(count) }

  mutating func perform(_ count: Int) async -> Handover {
    precondition(count == 1, "the board holds one event")
    let (event, directories) = supply.next()
    let before = clock.now
    await cache.receive(event)
    return Handover(
      began: before, committed: before,
      notified: Instant(nanoseconds: board.takeInstant(of: directories)))
  }
}

/// The store alone: what an event costs without an actor to wait for, and without observers.
final class StoreEvents: Subject {
  private var store: CacheStore<MeasurementSchema>
  private var actions: [CacheAction] = []
  private let clock: ContinuousCacheClock
  private var supply: EventSupply

  init(library: FileLibrary, script: EventScript, clock: ContinuousCacheClock) throws {
    self.clock = clock
    supply = EventSupply(script: script)
    store = try CacheStore.filled(with: library)
  }

  func prepare(_ count: Int) throws { try supply.prepare(count) }

  func perform(_ count: Int) -> Handover {
    precondition(count == 1, "what an event changed is looked at before the next")
    let (event, directories) = supply.next()
    let before = clock.now
    store.receive(event, at: before)
    store.takeActions(into: &actions)
    let committed = clock.now
    precondition(
      actions.count == directories.count,
      "an event changed \(actions.count) of \(directories.count) queries")
    return Handover(began: before, committed: committed)
  }
}

/// The control: the way to an actor, and ten calls.
struct ControlEvents: Subject {
  private let notifier: Notifier
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock
  private var supply: EventSupply

  init(script: EventScript, clock: ContinuousCacheClock) {
    self.clock = clock
    supply = EventSupply(script: script)
    let board = ObserverBoard(listings: 1, clock: clock)
    self.board = board
    notifier = Notifier([
      (0..<ObserverBoard.observersPerListing).map { index in
        let observer = board.observer(index, of: 0)
        return { observer() }
      }
    ])
  }

  mutating func prepare(_ count: Int) throws { try supply.prepare(count) }

  mutating func perform(_ count: Int) async -> Handover {
    precondition(count == 1, "the board holds one event")
    let event = supply.next().event
    let before = clock.now
    await notifier.receive(event, of: 0)
    return Handover(
      began: before, committed: before,
      notified: Instant(nanoseconds: board.takeInstant(of: [0])))
  }
}
