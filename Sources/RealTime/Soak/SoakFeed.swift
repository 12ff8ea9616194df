import CacheModel
import NormalizedCache

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
  /// Events sent before those are delivered that are due: whoever was held up for a minute has many to
  /// send, and they shall not all be under way at once.
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

  /// Sends for so many nanoseconds.
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
