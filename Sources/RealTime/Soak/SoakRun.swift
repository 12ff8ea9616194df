package import CacheModel
import NormalizedCache
import Processes
import Synchronization

/// The plan of a soak test: its duration, events and network.
package struct SoakPlan: Sendable {
  /// The name of the preset, for the policy column.
  package var policy: String
  package var composition: CachePolicy
  package var seed: UInt64
  package var library: FileLibrary
  package var duration: Duration
  /// The rate of events per second.
  package var rate: Double
  package var faults = LinkFaults()

  /// Returns a soak of the standard library with a preset, and a capacity for all of it.
  ///
  /// - Returns: `nil` if no preset has that name.
  package static func standard(
    preset name: String, seed: UInt64, duration: Duration, rate: Double
  ) -> SoakPlan? {
    let library = FileLibrary.standard(seed: seed)
    guard let composition = library.composition(preset: name) else { return nil }
    return SoakPlan(
      policy: name, composition: composition, seed: seed, library: library, duration: duration,
      rate: rate)
  }
}

/// Sends changes to an actual cache over an unreliable network for minutes, and detects leaks, missing
/// notifications, and a final state that differs from the server's.
///
/// The loop is open: changes arrive at Poisson instants, independently of the cache. A view for each listing
/// draws the notified changes fifty times a second, and nothing else; before that, some views without a
/// notification are compared with the cache. At the end the network is repaired, heartbeats send the position
/// of the stream, and all listings of the cache and all views are compared with the server.
package struct SoakRun: Sendable {
  private let plan: SoakPlan
  private let clock = MonotonicClock()
  private let progress: @Sendable (String) -> Void
  /// Whether views ignore the calls of their observers: an intentional defect, for tests.
  var isDeaf = false
  /// The clock of changes; in tests one that does not wait.
  var feedClock: any CacheClock = MonotonicClock()

  private static let frame = Duration.milliseconds(20)
  private static let patience = Duration.seconds(30)

  package init(plan: SoakPlan, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.plan = plan
    self.progress = progress
  }

  /// Runs the soak.
  ///
  /// - Throws: ``SoakError``, `CachePolicyError`, `CancellationError`, or a fetch's error.
  package func run() async throws -> SoakResult {
    let server = SoakServer(library: plan.library)
    let cache = try NormalizedCache(
      composition: plan.composition, schema: MeasurementSchema(), source: server, clock: clock)
    let views = SoakViews()
    for key in plan.library.queryKeys {
      _ = await cache.observe(key) { [isDeaf] _, key in
        if !isDeaf { views.mark(key) }
      }
      views.draw(key, try await cache.query(key))
    }
    guard await cache.residentEntities > 0 else { throw SoakError.keepsNothing }
    let drawing = Task { [cache] in await draw(views, from: cache) }
    defer { drawing.cancel() }
    var result = SoakResult(plan: plan)
    let before = await cache.statistics
    try await feed(cache, from: server, into: &result)
    progress("the network is repaired; comparing")
    try await settle(cache, with: server, views)
    drawing.cancel()
    let screen = await drawing.value
    (result.viewsChecked, result.missed) = (screen.checked, screen.missed)
    for (directory, key) in plan.library.queryKeys.enumerated() {
      let truth = server.listing(ofDirectory: directory).entities
      let held = await cache.rows(of: key)
      if held != truth { result.divergent += 1 }
      // A view that differs from the cache missed a notification.
      result.viewsChecked += 1
      if views.shown(key) != held.map(\.version) { result.missed += 1 }
    }
    result.statistics = await cache.statistics - before
    return result
  }

  private func feed(
    _ cache: NormalizedCache<MeasurementSchema>, from server: SoakServer,
    into result: inout SoakResult
  ) async throws {
    var feed = SoakFeed(
      cache: cache, server: server, clock: feedClock, rate: plan.rate, faults: plan.faults,
      random: RandomSource(seed: plan.seed))
    let end = plan.duration.wholeNanoseconds
    var memory: [(x: Double, y: Double)] = []
    try await feed.run(for: end) { now in
      if let bytes = ProcessMemory.resident() {
        memory.append((Double(now) / 1e9, Double(bytes)))
      }
      progress("\(now / 1_000_000_000) of \(end / 1_000_000_000) s")
    }
    result.memory = memory
    result.link = feed.link.tally
  }

  /// Waits until the cache is up to date and its views have drawn.
  private func settle(
    _ cache: NormalizedCache<MeasurementSchema>, with server: SoakServer, _ views: SoakViews
  ) async throws {
    let stream = StreamID(library: plan.library.library)
    let deadline = clock.now.advanced(by: Self.patience)
    var isSettled = false
    while !isSettled {
      guard clock.now < deadline else {
        throw SoakError.unsettled(seconds: Self.patience / .seconds(1))
      }
      await cache.receiveHeartbeat(server.place)
      try await Task.sleep(for: Self.frame * 2)
      let reached = await cache.cursor(of: stream)
      isSettled = reached == server.place.position && views.isIdle
    }
  }

  /// Draws until it is cancelled.
  private func draw(
    _ views: SoakViews, from cache: NormalizedCache<MeasurementSchema>
  ) async -> SoakScreen {
    var screen = SoakScreen(of: views, from: cache, keys: plan.library.queryKeys)
    while (try? await Task.sleep(for: Self.frame)) != nil { await screen.frame() }
    return screen
  }
}

/// The reason why a soak has no result.
package enum SoakError: Error, Hashable, Sendable, CustomStringConvertible {
  case unsettled(seconds: Double)
  /// The cache is empty after all listings were fetched.
  case keepsNothing

  package var description: String {
    switch self {
    case .unsettled(let seconds):
      "the cache has not caught up with the server \(seconds) s after the network was repaired; "
        + "lower --rate, or look for the events that it waits for"
    case .keepsNothing: "\(PipelineError.keepsNothing)"
    }
  }
}

/// Changes at a server that reach a cache over an unreliable network in an open loop, at Poisson instants,
/// independently of the cache.
struct SoakFeed {
  private let cache: NormalizedCache<MeasurementSchema>
  private let server: SoakServer
  private let clock: any CacheClock
  private let rate: Double
  private(set) var link: LossyLink<EventEnvelope<FilePayload>>
  private var arrivals: RandomSource
  /// Nanoseconds since the start.
  private var now: Int64 = 0
  private var nextArrival: Int64 = 0

  private static let heartbeat: Int64 = 1_000_000_000
  private static let sampling: Int64 = 1_000_000_000
  /// The maximum number of events that are sent before the delivery of due ones: a process that was suspended
  /// for a minute has many to send, which must not all be in flight at once.
  private static let longestBurst = 256

  init(
    cache: NormalizedCache<MeasurementSchema>, server: SoakServer, clock: any CacheClock,
    rate: Double, faults: LinkFaults, random: RandomSource
  ) {
    self.cache = cache
    self.server = server
    self.clock = clock
    self.rate = rate
    arrivals = random.substream("soak-arrivals")
    link = LossyLink(faults: faults, random: random.substream("soak-link"))
  }

  /// Sends events until an instant.
  ///
  /// - Parameters:
  ///   - end: the end, in nanoseconds since the start.
  ///   - sample: called once per second, with the present instant.
  /// - Throws: `CancellationError`.
  mutating func run(for end: Int64, _ sample: (_ now: Int64) -> Void) async throws {
    let start = clock.now.nanoseconds
    var nextBeat = Self.heartbeat
    var nextSample: Int64 = 0
    while now < end {
      var burst = 0
      while nextArrival <= now, nextArrival < end, burst < Self.longestBurst {
        link.send(server.change(), at: now)
        nextArrival += max(1, Int64(arrivals.exponential(mean: 1e9 / rate)))
        burst += 1
      }
      while let event = link.take(at: now) { await cache.receive(event) }
      if nextBeat <= now {
        if !link.isDown(at: now) { await cache.receiveHeartbeat(server.place) }
        nextBeat += Self.heartbeat
      }
      if nextSample <= now {
        sample(now)
        while nextSample <= now { nextSample += Self.sampling }
      }
      let due = min(nextArrival, nextBeat, nextSample, link.nextDue ?? .max)
      try await clock.sleep(until: Instant(nanoseconds: start + due))
      now = clock.now.nanoseconds - start
    }
  }
}

/// The screen's content: each listing as it was last drawn.
final class SoakViews: Sendable {
  private struct State {
    var changed: Set<QueryKey> = []
    var shown: [QueryKey: [Version]] = [:]
  }

  private let state = Mutex(State())

  var isIdle: Bool { state.withLock { $0.changed.isEmpty } }

  func mark(_ key: QueryKey) { state.withLock { _ = $0.changed.insert(key) } }

  func isMarked(_ key: QueryKey) -> Bool { state.withLock { $0.changed.contains(key) } }

  func take() -> Set<QueryKey> {
    state.withLock { state in
      defer { state.changed = [] }
      return state.changed
    }
  }

  func draw(_ key: QueryKey, _ rows: [VersionedEntity<FilePayload>]) {
    state.withLock { $0.shown[key] = rows.map(\.version) }
  }

  func shown(_ key: QueryKey) -> [Version] { state.withLock { $0.shown[key] ?? [] } }
}

extension NormalizedCache where Schema == MeasurementSchema {
  /// Returns whether a view equals the cache; `nil` if it has not yet drawn a notified change.
  ///
  /// It is one job on the actor, which also calls the observers, so that nothing happens in between.
  func isShown(_ key: QueryKey, in views: SoakViews) -> Bool? {
    views.isMarked(key) ? nil : views.shown(key) == rows(of: key).map(\.version)
  }
}

/// The screen of a soak, frame by frame: compares views with the cache, then draws those with a notified
/// change.
struct SoakScreen {
  private let views: SoakViews
  private let cache: NormalizedCache<MeasurementSchema>
  private let keys: [QueryKey]
  /// The number of compared views without a notification since they were drawn.
  private(set) var checked = 0
  /// The number of differences among them: missed notifications.
  private(set) var missed = 0
  /// The index of the last compared view.
  private var place = 0

  /// The number of views that are compared before each frame.
  private static let viewsPerFrame = 10

  init(
    of views: SoakViews, from cache: NormalizedCache<MeasurementSchema>, keys: [QueryKey]
  ) {
    self.views = views
    self.cache = cache
    self.keys = keys
  }

  /// Compares, then draws.
  ///
  /// A missed change that is drawn with a later one is detected only by a comparison in between.
  mutating func frame() async {
    for _ in 0..<min(Self.viewsPerFrame, keys.count) {
      place = (place + 1) % keys.count
      guard let isRight = await cache.isShown(keys[place], in: views) else { continue }
      checked += 1
      if !isRight { missed += 1 }
    }
    for key in views.take() { views.draw(key, await cache.rows(of: key)) }
  }
}
