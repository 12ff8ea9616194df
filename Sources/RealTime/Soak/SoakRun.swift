package import CacheModel
import NormalizedCache
import Processes
import Synchronization

/// What a soak does: for how long, how many events, over what network.
package struct SoakPlan: Sendable {
  /// The name of the preset, for the policy column.
  package var policy: String
  package var composition: CachePolicy
  package var seed: UInt64
  package var library: FileLibrary
  package var duration: Duration
  /// Events per second.
  package var rate: Double
  package var faults = LinkFaults()

  /// A soak of the standard population under a preset, with room for all of it.
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

/// Sends changes to a real cache over a bad network for minutes, and checks whether it leaks, misses a
/// notification, or ends in another state than the server.
///
/// Open loop: changes come at Poisson instants whatever the cache does. A view for each listing draws
/// fifty times a second the changes that its observer was notified of, and nothing else; before that, some views
/// without a notification are compared with the cache. When time is up the network is repaired, heartbeats give
/// the position of the stream, and every listing of the cache and every view is compared with the server.
package struct SoakRun: Sendable {
  private let plan: SoakPlan
  private let clock = MonotonicClock()
  private let progress: @Sendable (String) -> Void
  /// Whether no view hears the calls of its observer: a planted defect, for tests.
  var isDeaf = false
  /// By which changes come; in tests one that does not wait.
  var feedClock: any CacheClock = MonotonicClock()

  private static let frame = Duration.milliseconds(20)
  private static let patience = Duration.seconds(30)

  package init(plan: SoakPlan, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.plan = plan
    self.progress = progress
  }

  /// Runs to the end.
  ///
  /// - Throws: ``SoakError``, `CachePolicyError`, `CancellationError`, or what a fetch throws.
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
      // A view that differs from the cache was not notified.
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

  /// Lets the cache catch up, and its views draw.
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

/// Why a soak has no result.
package enum SoakError: Error, Hashable, Sendable, CustomStringConvertible {
  case unsettled(seconds: Double)
  /// After every listing was asked for, nothing is in the cache.
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

/// Changes at a server that reach a cache over a bad network, at Poisson instants, whatever the cache
/// does: open loop.
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
  /// Events sent before those are delivered that are due: a process that was stopped for a minute has many to
  /// send, and they must not all be under way at once.
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

  /// Sends for this many nanoseconds.
  ///
  /// - Parameters:
  ///   - end: when to stop.
  ///   - sample: called once a second, with how long it has gone on.
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

/// What is on screen: each listing as it was when it was last drawn.
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
  /// Whether a view equals the cache; `nil` if it was notified of a change and is not drawn yet.
  ///
  /// In one turn of the actor, on which observers are called too, so that nothing comes between.
  func isShown(_ key: QueryKey, in views: SoakViews) -> Bool? {
    views.isMarked(key) ? nil : views.shown(key) == rows(of: key).map(\.version)
  }
}

/// The screen of a soak, a frame at a time: checks whether views equal the cache, then draws those that
/// were notified of a change.
struct SoakScreen {
  private let views: SoakViews
  private let cache: NormalizedCache<MeasurementSchema>
  private let keys: [QueryKey]
  /// How many views were compared that had no notification since they were drawn.
  private(set) var checked = 0
  /// How many of them differed from the cache: they were not notified.
  private(set) var missed = 0
  /// The view that was compared last.
  private var place = 0

  /// Views that are compared before each frame.
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
  /// What a view missed and then draws with a later change is seen only by a comparison between the two.
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
