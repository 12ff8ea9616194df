import CacheModel
package import Metrics
package import NormalizedCache

/// What a storage costs an update, from its arrival to its observers.
///
/// Three caches run side by side, so that all face the same machine: one without a storage, one with,
/// and one whose disk stalls for 50 ms before every batch. Their arrivals are independent.
package struct PersistenceRun: Sendable {
  package var samples = 4_000
  package var warmUp = 200
  /// Events per second in each lane.
  package var rate = 500.0
  package var stall = Duration.milliseconds(50)
  /// Every flush window holds some 50 events, so that batches are written all the time.
  package var window = Duration.milliseconds(100)
  private let plan: LatencyPlan
  private let clock = ContinuousCacheClock()
  private let makeStorage: @Sendable (String) -> any CacheStorage

  /// - Parameters:
  ///   - plan: the population and the policy.
  ///   - makeStorage: makes an empty storage of a name.
  package init(
    plan: LatencyPlan, makeStorage: @escaping @Sendable (String) -> any CacheStorage
  ) {
    self.plan = plan
    self.makeStorage = makeStorage
  }

  /// The ratio of the 99th percentiles of `update_to_notify`, with a storage over without.
  ///
  /// - Throws: ``LatencyRunError``, `CompositionError`, `StorageError` where nothing was stored, or
  ///   `CancellationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    let script = try EventScript(
      library: plan.library, eventClass: .single, count: samples + warmUp)
    func lane(_ name: String, _ index: UInt64) -> Lane {
      Lane(
        name: "single/\(name)", script: script,
        arrivals: ArrivalProcess(
          count: samples + warmUp, perSecond: rate,
          random: RandomSource(seed: plan.seed).substream("persistence-arrivals", index)),
        warmUp: warmUp, clock: clock)
    }
    let source = LibraryServer(library: plan.library)
    let without = try NormalizedCache(
      composition: plan.composition, schema: MeasurementSchema(), source: source, clock: clock)
    let with = try await open(makeStorage("steady"), source)
    let stalled = try await open(StallingStorage(makeStorage("stalling"), stall: stall), source)
    let offLane = try await CallbackLane(
      lane: lane("off", 0), cache: without, library: plan.library)
    let onLane = try await CallbackLane(lane: lane("on", 1), cache: with, library: plan.library)
    let stalledLane = try await CallbackLane(
      lane: lane("stalled", 2), cache: stalled, library: plan.library)
    let start = clock.now.advanced(by: .milliseconds(50))
    async let off = offLane.run(from: start)
    async let on = onLane.run(from: start)
    async let stalling = stalledLane.run(from: start)
    let stamps = try await (off: off, on: on, stalled: stalling)
    for cache in [with, stalled] {
      if let error = await cache.storageState.error { throw error }
      try await cache.close()
    }
    return [
      row(scenario, "steady", of: stamps.on, to: stamps.off),
      row(scenario, "stalling", of: stamps.stalled, to: stamps.off),
    ]
  }

  private func open(
    _ storage: any CacheStorage, _ source: LibraryServer
  ) async throws -> NormalizedCache<MeasurementSchema> {
    try await NormalizedCache.open(
      composition: plan.composition, schema: MeasurementSchema(), source: source,
      storage: storage, codec: FileCodec(), writeBehind: WriteBehind(window: window),
      clock: clock)
  }

  private func row(
    _ scenario: String, _ disk: String, of stored: [EventStamps], to unstored: [EventStamps]
  ) -> ResultRow {
    func p99(_ stamps: [EventStamps]) -> Int64? {
      SampleSummary(stamps.map { $0.nanoseconds(of: .updateToNotify) }).quantile(.p99)
    }
    var value: MetricValue?
    if let above = p99(stored), let below = p99(unstored), below > 0 {
      value = .real(Double(above) / Double(below))
    }
    return ResultRow(
      scenario: scenario, policy: plan.policy, seed: plan.seed, class: disk,
      metric: "persistence_cost_ratio", value: value, sampleCount: stored.count)
  }
}
