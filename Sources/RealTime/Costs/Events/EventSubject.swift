import CacheModel
import NormalizedCache

/// Something that is given decoded events: a cache, or what takes its place beside it.
protocol EventSubject: AnyObject {
  /// Hands an event over.
  ///
  /// - Parameters:
  ///   - event: as it comes from a decoder: handed over, not shared.
  ///   - directories: those whose listings it changes.
  /// - Returns: the nanoseconds until the last observer was called.
  func time(
    of event: consuming FileEvent, changing directories: [Int]
  ) async -> Int64
}

extension EventSubject {
  /// The times of events of one class, back to back.
  func times(of events: consuming [EventSupply.Event]) async -> [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(events.count)
    events.reverse()
    while let (event, directories) = events.popLast() {
      times.append(await time(of: event, changing: directories))
    }
    return times
  }
}

/// The whole cache: its actor, and ten observers of each query that it calls back.
final class CacheEventSubject: EventSubject, Sendable {
  private let cache: NormalizedCache<MeasurementSchema>
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock

  init(library: FileLibrary, clock: ContinuousCacheClock) async throws {
    self.clock = clock
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

  func time(
    of event: consuming FileEvent, changing directories: [Int]
  ) async -> Int64 {
    let before = clock.now.nanoseconds
    await cache.receive(event)
    return board.takeInstant(of: directories) - before
  }
}

/// The store alone: what an event costs without an actor to wait for, and without observers.
final class StoreEventSubject: EventSubject {
  private var store: CacheStore<MeasurementSchema>
  private var actions: [CacheAction] = []
  private let clock: ContinuousCacheClock

  init(library: FileLibrary, clock: ContinuousCacheClock) throws {
    self.clock = clock
    store = try CacheStore.filled(with: library)
  }

  func time(
    of event: consuming FileEvent, changing directories: [Int]
  ) -> Int64 {
    let before = clock.now
    store.receive(event, at: before)
    store.takeActions(into: &actions)
    let time = clock.now.nanoseconds - before.nanoseconds
    precondition(
      actions.count == directories.count,
      "an event changed \(actions.count) of \(directories.count) queries")
    return time
  }
}

/// What remains when the cache is taken away: the way to an actor, and ten calls.
final class ControlEventSubject: EventSubject, Sendable {
  private let notifier: Notifier
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock

  private actor Notifier {
    let observers: [@Sendable () -> Void]

    init(observers: [@Sendable () -> Void]) {
      self.observers = observers
    }

    func receive(_ event: FileEvent) {
      for observer in observers { observer() }
    }
  }

  init(clock: ContinuousCacheClock) {
    self.clock = clock
    let board = ObserverBoard(listings: 1, clock: clock)
    self.board = board
    notifier = Notifier(
      observers: (0..<ObserverBoard.observersPerListing).map { index in
        let observer = board.observer(index, of: 0)
        return { observer() }
      })
  }

  func time(
    of event: consuming FileEvent, changing directories: [Int]
  ) async -> Int64 {
    let before = clock.now.nanoseconds
    await notifier.receive(event)
    return board.takeInstant(of: [0]) - before
  }
}
