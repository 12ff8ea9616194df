import CacheModel
import NormalizedCache
import SyncStack
import Synchronization

/// Something that is given decoded events: a cache, or what takes its place beside it.
protocol EventSubject: AnyObject {
  /// Hands each event over.
  ///
  /// - Parameters:
  ///   - events: of one class.
  ///   - queries: how many observed queries each of them changes.
  /// - Returns: for each the nanoseconds until the last observer was called.
  func times(
    of events: consuming [EventEnvelope<FilePayload>], changing queries: Int
  ) async -> [Int64]
}

/// Ten observers of each query, of which the one that is called tenth reads the clock: reading it ten
/// times would cost more than calling them.
final class ObserverGroup: Sendable {
  static let size = 10
  private let clock: ContinuousCacheClock
  /// How often an observer was called for the event under way.
  private let calls = Atomic<Int>(0)
  private let lastAt = Atomic<Int64>(0)

  init(clock: ContinuousCacheClock) {
    self.clock = clock
  }

  /// One observer is called.
  func call() {
    if calls.add(1, ordering: .relaxed).newValue.isMultiple(of: Self.size) {
      lastAt.store(clock.now.nanoseconds, ordering: .releasing)
    }
  }

  /// Forgets the calls until now.
  func reset() { calls.store(0, ordering: .releasing) }

  /// When the last observer was called; begins to count anew.
  ///
  /// - Precondition: since this was last asked all ten observers of so many queries were called, each
  ///   once.
  func takeInstant(queries: Int) -> Int64 {
    let calls = calls.exchange(0, ordering: .acquiring)
    precondition(
      calls == Self.size * queries, "an event told \(calls) of \(Self.size * queries) observers")
    return lastAt.load(ordering: .acquiring)
  }
}

/// The whole cache: its actor, and ten observers of each query that it calls back.
final class CacheEventSubject: EventSubject, Sendable {
  private let cache: NormalizedCache<MeasurementSchema>
  private let group: ObserverGroup
  private let clock: ContinuousCacheClock

  init(
    library: FileLibrary, composition: PolicyComposition, clock: ContinuousCacheClock
  ) async throws {
    self.clock = clock
    group = ObserverGroup(clock: clock)
    cache = try NormalizedCache(
      composition: composition, schema: MeasurementSchema(),
      source: LibraryServer(library: library), clock: clock)
    for key in library.queryKeys {
      _ = try await cache.query(key)
      for _ in 0..<ObserverGroup.size {
        _ = await cache.observe(key) { [group] _, _ in group.call() }
      }
    }
    // What happened while the cache was being filled is no event's.
    group.reset()
  }

  func times(
    of events: consuming [EventEnvelope<FilePayload>], changing queries: Int
  ) async -> [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(events.count)
    // Handed over, not shared: as it comes from a decoder.
    events.reverse()
    while let event = events.popLast() {
      let before = clock.now.nanoseconds
      await cache.receive(event)
      times.append(group.takeInstant(queries: queries) - before)
    }
    return times
  }
}

/// The store alone: what an event costs where nobody waits for an actor, and nobody is called.
final class StoreEventSubject: EventSubject {
  private var store: CacheStore<MeasurementSchema>
  private var actions: [CacheAction] = []
  private let clock: ContinuousCacheClock

  init(
    library: FileLibrary, composition: PolicyComposition, clock: ContinuousCacheClock
  ) throws {
    self.clock = clock
    store = try CacheStore(composition: composition, schema: MeasurementSchema())
    for (directory, key) in library.queryKeys.enumerated() {
      store.addObserver(of: key, at: .zero)
      guard let fetch = store.read(key, at: .zero).fetch else { continue }
      store.completeFetch(fetch, with: library.response(toDirectory: directory), at: .zero)
    }
    store.takeActions(into: &actions)
  }

  func times(
    of events: consuming [EventEnvelope<FilePayload>], changing queries: Int
  ) -> [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(events.count)
    // Handed over, not shared: as it comes from a decoder.
    events.reverse()
    while let event = events.popLast() {
      let before = clock.now
      store.receive(event, at: before)
      store.takeActions(into: &actions)
      times.append(clock.now.nanoseconds - before.nanoseconds)
      precondition(
        actions.count == queries, "an event changed \(actions.count) of \(queries) queries")
    }
    return times
  }
}

/// What remains when the cache is taken away: the way to an actor, and ten calls.
final class ControlEventSubject: EventSubject, Sendable {
  private let notifier: Notifier
  private let group: ObserverGroup
  private let clock: ContinuousCacheClock

  private actor Notifier {
    let observers: [@Sendable (isolated Notifier) -> Void]

    init(observers: [@Sendable (isolated Notifier) -> Void]) {
      self.observers = observers
    }

    func receive(_ event: EventEnvelope<FilePayload>) {
      for observer in observers { observer(self) }
    }
  }

  init(clock: ContinuousCacheClock) {
    self.clock = clock
    let group = ObserverGroup(clock: clock)
    self.group = group
    notifier = Notifier(
      observers: (0..<ObserverGroup.size).map { _ in
        { _ in group.call() }
      })
  }

  func times(
    of events: consuming [EventEnvelope<FilePayload>], changing queries: Int
  ) async -> [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(events.count)
    // Handed over, not shared: as it comes from a decoder.
    events.reverse()
    while let event = events.popLast() {
      let before = clock.now.nanoseconds
      await notifier.receive(event)
      times.append(group.takeInstant(queries: 1) - before)
    }
    return times
  }
}
