import CacheModel
package import Metrics
package import NormalizedCache

/// What a storage costs an update, from its arrival to its observers.
///
/// Three caches take turns: one without a storage, one with, and one whose disk stalls for 50 ms before
/// every batch. Only one is sent events at a time, so that the work of writing, wherever it is done,
/// falls on the cache that causes it. The turns go forwards and backwards, so that a change of the
/// machine's speed falls on all alike.
package struct PersistenceRun: Sendable {
  /// Turns of each cache, events in a turn, and those at its beginning that are not counted.
  package var turns = 6
  package var samples = 500
  package var warmUp = 50
  /// Events per second.
  package var rate = 1_000.0
  package var stall = Duration.milliseconds(50)
  /// Every flush window holds some 100 events, so that batches are written all the time.
  package var window = Duration.milliseconds(100)
  private let plan: LatencyPlan
  private let clock = ContinuousCacheClock()
  private let makeStorage: @Sendable (String) -> any CacheStorage

  /// - Parameters:
  ///   - plan: the population and the policy.
  ///   - makeStorage: the storage of a name: empty when it is first asked for, and then with what was
  ///     written to it.
  package init(
    plan: LatencyPlan, makeStorage: @escaping @Sendable (String) -> any CacheStorage
  ) {
    self.plan = plan
    self.makeStorage = makeStorage
  }

  /// Some seconds: the samples that a p99 needs, and no more.
  package mutating func makeQuick() { turns = 2 }

  /// The ratio of the 99th percentiles of `update_to_notify`, with a storage over without.
  ///
  /// - Throws: ``LatencyRunError``, also where a storage does not hold what its cache was told at the
  ///   end; `CompositionError`, `StorageError` where nothing was stored, or `CancellationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    let script = try EventScript(
      library: plan.library, eventClass: .single, count: turns * (warmUp + samples))
    let caches = [
      try NormalizedCache(
        composition: plan.composition, schema: MeasurementSchema(),
        source: LibraryServer(library: plan.library), clock: clock),
      try await open(makeStorage("steady")),
      try await open(StallingStorage(makeStorage("stalling"), stall: stall)),
    ]
    let stamps = try await measure(caches, script)
    for (cache, name) in zip(caches, ["", "steady", "stalling"]) where !name.isEmpty {
      try await cache.close()
      try await check(makeStorage(name), name, holds: script)
    }
    return [
      row(scenario, "steady", of: stamps[1], to: stamps[0]),
      row(scenario, "stalling", of: stamps[2], to: stamps[0]),
    ]
  }

  /// The stamps of each cache.
  private func measure(
    _ caches: [NormalizedCache<MeasurementSchema>], _ script: EventScript
  ) async throws -> [[EventStamps]] {
    var lanes: [CallbackLane] = []
    for cache in caches {
      lanes.append(
        try await CallbackLane(
          lane: lane(script, turn: 0, of: 0), cache: cache, library: plan.library))
    }
    var stamps = caches.map { _ in [EventStamps]() }
    for turn in 0..<turns {
      for index in turn.isMultiple(of: 2) ? Array(lanes.indices) : lanes.indices.reversed() {
        lanes[index].lane = lane(script, turn: turn, of: index)
        stamps[index] += try await lanes[index]
          .run(from: clock.now.advanced(by: .milliseconds(50)))
        // What is not written yet would be written in the turn of another.
        if index > 0 { try await caches[index].flush() }
      }
    }
    return stamps
  }

  private func lane(_ script: EventScript, turn: Int, of index: Int) -> Lane {
    let count = warmUp + samples
    return Lane(
      name: "single/\(["unstored", "steady", "stalling"][index])",
      script: script.part(turn * count..<(turn + 1) * count),
      arrivals: ArrivalProcess(
        count: count, perSecond: rate,
        random: RandomSource(seed: plan.seed)
          .substream("persistence-arrivals", UInt64(turn * 3 + index))),
      warmUp: warmUp, clock: clock)
  }

  /// Looks whether a storage holds the last value of each file that changed.
  private func check(
    _ storage: any CacheStorage, _ name: String, holds script: EventScript
  ) async throws {
    let stored = try await storage.load().entities.count {
      FileLibrary.revision(of: $0.version) > 0 && $0.payload != nil
    }
    await storage.close()
    let changed = min(script.messages.count, plan.library.fileCount)
    guard stored == changed else {
      throw LatencyRunError.notStored(storage: name, entities: stored, of: changed)
    }
  }

  private func open(
    _ storage: any CacheStorage
  ) async throws -> NormalizedCache<MeasurementSchema> {
    try await NormalizedCache.open(
      composition: plan.composition, schema: MeasurementSchema(),
      source: LibraryServer(library: plan.library), storage: storage, codec: FileCodec(),
      writeBehind: WriteBehind(window: window), clock: clock)
  }

  private func row(
    _ scenario: String, _ disk: String, of stored: [EventStamps], to unstored: [EventStamps]
  ) -> ResultRow {
    func p99(_ stamps: [EventStamps]) -> Int64? {
      let samples = stamps.map { $0.nanoseconds(of: .updateToNotify) }
      guard samples.count >= Statistic.p99.fewestSamples else { return nil }
      return SampleSummary(samples).quantile(.p99)
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
