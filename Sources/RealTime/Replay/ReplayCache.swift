import CacheModel
import CacheSimulation
import Foundation
import NormalizedCache
import Synchronization

/// The actual cache of an app's values, which gets a client's calls.
///
/// The calls are those of the simulated cache with the same policy, in the same order and at the same virtual
/// instants, so that its contents and results are the same, but it takes real time. Both paths read through
/// the actor.
final class ReplayCache: Subject, Sendable {
  /// The API through which an app uses its cache.
  enum Path: Sendable {
    /// Its actor, with decoded events, and callbacks during the commit.
    case actor
    /// The API for apps: `EventCacheUpdater`, and a `CachedQueryClient` for each observed query, on the main
    /// actor.
    case apps
  }

  private let path: Path
  private let isSlow: Bool
  private let cache: NormalizedCache<AppSchema>
  private let updater: EventCacheUpdater<AppSchema>
  private let source = ReplayServer()
  private let virtualClock = ReplayClock()
  private let clock: ContinuousCacheClock
  private let stamps = ObserverStamps()
  private let registry: ResourceTypeRegistry<AppValue>
  private let decoder = JSONDecoder()
  private let library: LibraryID
  private let values: ReplayValues
  private let calls: ClientCalls
  /// The index of each event of entities among the calls, with its encoded form.
  private let events: [Int]
  let messages: [Data]
  /// The number of entities that each event changes or deletes.
  let entities: [Int]
  /// The index of the next event.
  private let next = Atomic(0)
  private let state = Mutex(State())

  private struct State {
    var observations: [QueryKey: [QueryObservation]] = [:]
    var clients: [QueryKey: [CachedQueryClient<AppSchema, String>]] = [:]
    var changed: Set<QueryKey> = []
    /// Nanoseconds of each read of the user that was a hit, and of each view that was.
    var readTimes: [Int64] = []
    var viewTimes: [Int64] = []
    /// The cache's counts at the end of the warm-up.
    var statisticsBefore: CacheStatistics?
  }

  /// The maximum number of checks for a task of the cache.
  private static let patience = 1_000_000

  /// - Throws: `CachePolicyError`, or the coder's error.
  init(
    calls: ClientCalls, policy: ReplayedPolicy, path: Path, values: ReplayValues,
    schema: SimulationSchema, library: LibraryID, clock: ContinuousCacheClock
  ) throws {
    self.calls = calls
    isSlow = policy.handicap == .slow
    self.path = path
    self.values = values
    self.library = library
    self.clock = clock
    registry = try EventFrame.registry(of: values.model)
    cache = try NormalizedCache(
      composition: policy.composition, schema: AppSchema(schema: schema), source: source,
      clock: virtualClock)
    updater = EventCacheUpdater(cache: cache, registry: registry, library: library)
    var (events, messages, entities): ([Int], [Data], [Int]) = ([], [], [])
    for (index, call) in calls.all.enumerated() {
      guard case .event(let envelope) = call.kind, let changed = call.entities else { continue }
      events.append(index)
      messages.append(try values.message(envelope))
      entities.append(changed)
    }
    (self.events, self.messages, self.entities) = (events, messages, entities)
  }

  /// Performs the calls before the next event: reads, answers, waiting.
  func prepare(_ count: Int) async throws {
    precondition(count == 1, "reads come between any two events")
    try await play(before: next.load(ordering: .relaxed))
  }

  /// Performs the calls after the last event.
  func close() async throws { try await play(before: events.count) }

  private func play(before event: Int) async throws {
    let first = event == 0 ? 0 : events[event - 1] + 1
    let end = event < events.count ? events[event] : calls.all.count
    guard first < end else { return }
    for call in calls.all[first..<end] {
      await pass(to: call.at)
      try await play(call.kind)
    }
  }

  /// Decodes one event and passes it to the cache.
  func perform(_ count: Int) async throws -> Handover {
    let event = next.wrappingAdd(1, ordering: .relaxed).oldValue
    await pass(to: calls.all[events[event]].at)
    let framed = try EventFrame.event(in: messages[event], decoder: decoder)
    guard path == .actor else {
      let framedAt = clock.now
      await updater.apply(framed)
      // All observers have been called by now.
      return Handover(began: framedAt, committed: clock.now)
    }
    let decoded = registry.decode(framed)
    if let failure = decoded.failures.first { throw failure }
    guard case .event(let envelope)? = decoded.message else {
      preconditionFailure("an event was framed as something else")
    }
    _ = stamps.take()
    let decodedAt = clock.now
    await cache.receive(envelope) { [stamps, clock, isSlow] in
      if isSlow { clock.spin(for: ReplayedPolicy.Handicap.slowness) }
      stamps.commit(at: clock.now)
    }
    let (committed, notified, times) = stamps.take()
    return Handover(began: decodedAt, committed: committed, notified: times > 0 ? notified : nil)
  }

  func draw() async {
    let changed = state.withLock { state in
      defer { state.changed = [] }
      return state.changed
    }
    for key in changed {
      _ = await cache.mapRows(of: key) { _, version, value in (value.texts.first, version) }
    }
  }

  /// Returns the results.
  func result() async -> ReplayResult {
    let statistics = await cache.statistics
    await source.close()
    return state.withLock { state in
      let before = state.statisticsBefore ?? CacheStatistics()
      return ReplayResult(
        reads: statistics.reads - before.reads, hits: statistics.hits - before.hits,
        readTimes: state.readTimes, viewTimes: state.viewTimes)
    }
  }

  // MARK: Playing

  private func pass(to instant: Instant) async {
    if instant >= calls.countsFrom, state.withLock({ $0.statisticsBefore == nil }) {
      let statistics = await cache.statistics
      state.withLock { $0.statisticsBefore = statistics }
    }
    virtualClock.set(instant)
  }

  private func play(_ call: StoreCall.Kind) async throws {
    switch call {
    case .event(let envelope): await cache.receive(values.envelope(envelope))
    case .read(let key, let isRepeated):
      let begin = clock.now
      if case .now = await cache.serve(key, isRepeated: isRepeated), !isRepeated {
        noteHit(from: begin, to: clock.now)
      }
    case .readEntity(let key):
      let begin = clock.now
      if case .now = await cache.serve(key, library: library) {
        noteHit(from: begin, to: clock.now)
      }
    case .observe(let key) where path == .apps: await show(key)
    case .unobserve(let key) where path == .apps: await hide(key)
    case .observe(let key):
      let hits = await cache.statistics.hits
      let begin = clock.now
      let observation = await cache.observe(key) { [stamps, clock, weak self] _, key in
        stamps.notify(at: clock.now)
        self?.state.withLock { _ = $0.changed.insert(key) }
      }
      _ = await cache.rows(of: key)
      let end = clock.now
      if await cache.statistics.hits > hits { noteHit(from: begin, to: end, isView: true) }
      state.withLock { $0.observations[key, default: []].append(observation) }
    case .unobserve(let key):
      let observation = state.withLock { state in
        let observation = state.observations[key]?.popLast()
        if state.observations[key]?.isEmpty == true { state.observations[key] = nil }
        return observation
      }
      await observation?.cancel()
    case .tag(let key, let isTagged): await cache.tag(key, isTagged)
    case .invalidate(let key): await cache.invalidate(key)
    case .take(let key, let longer): await cache.take(key, from: longer)
    case .clear: await cache.clear(library: library)
    case .release(let share): await cache.releaseMemory(toFraction: share)
    case .heartbeat(let place): await cache.receiveHeartbeat(place)
    case .comeOnline:
      await cache.setOnline(false)
      await cache.setOnline(true)
    case .wake: await cache.advance()
    case .fetched(let answer): await take(answer)
    case .reconciled(let response): await answer(response.map(values.response))
    }
  }

  /// Shows a query in a view, and returns when the cache has registered it.
  private func show(_ key: QueryKey) async {
    let followers = await cache.observersAndFollowers
    let client = await MainActor.run { [cache] in
      let client = CachedQueryClient(key, in: cache) { row in row.payload.texts.first ?? "" }
      client.start()
      return client
    }
    state.withLock { $0.clients[key, default: []].append(client) }
    _ = await comesAbout { await self.cache.observersAndFollowers != followers }
  }

  private func hide(_ key: QueryKey) async {
    let client = state.withLock { state in
      let client = state.clients[key]?.popLast()
      if state.clients[key]?.isEmpty == true { state.clients[key] = nil }
      return client
    }
    guard let client else { return }
    let followers = await cache.observersAndFollowers
    await client.stop()
    _ = await comesAbout { await self.cache.observersAndFollowers != followers }
  }

  private func noteHit(from begin: Instant, to end: Instant, isView: Bool = false) {
    let time = end.nanoseconds - begin.nanoseconds
    state.withLock { state in
      if isView { state.viewTimes.append(time) } else { state.readTimes.append(time) }
    }
  }

  /// Passes an answer to the cache, and returns when it is applied.
  private func take(_ answer: CacheAnswer) async {
    let (target, request) = (answer.target, answer.request)
    let response = answer.response.map(values.response)
    let fetch = await cache.fetch(of: target)
    // A missing request, which only the simulated cache made, results in different hits.
    guard await comesAbout({ await self.source.answer(target, request: request, response) }),
      answer.isAwaited
    else { return }
    let others = await source.requests(for: target)
    _ = await comesAbout {
      if await self.cache.fetch(of: target) != fetch { return true }
      return await self.source.requests(for: target) > others
    }
  }

  private func answer(_ response: ReconcileResponse<AppValue>?) async {
    guard await cache.isReconciling,
      await comesAbout({ await self.source.answer(response) })
    else { return }
    _ = await comesAbout { await !self.cache.isReconciling }
  }

  /// Waits for one of the cache's tasks.
  private func comesAbout(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<Self.patience {
      if await condition() { return true }
      await Task.yield()
    }
    return false
  }
}

/// The results of the calls on the actual cache.
struct ReplayResult: Sendable {
  var reads = 0
  var hits = 0
  /// In nanoseconds, of each read of the user that was a hit, and of each view that was.
  var readTimes: [Int64] = []
  var viewTimes: [Int64] = []
}

extension StoreCall {
  /// The number of entities that an event changes or deletes; `nil` for other steps.
  fileprivate var entities: Int? {
    guard case .event(let envelope) = kind else { return nil }
    return switch envelope.event {
    case .changed: 1
    case .deleted(let keys, _): keys.isEmpty ? nil : keys.count
    case .batchChanged(let changed): changed.isEmpty ? nil : changed.count
    case .bulkNotice, .partlyDecoded, .infrastructure: nil
    }
  }
}

extension ContinuousCacheClock {
  /// Keeps the thread busy.
  fileprivate func spin(for duration: Duration) {
    let end = now.advanced(by: duration)
    while now < end {}
  }
}
