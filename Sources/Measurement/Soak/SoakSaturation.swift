import CacheModel
import NormalizedCache
import SyncStack

/// The rates that a search tries, in events per second, and for how long each.
package struct SoakTrials: Sendable {
  package var search = Self.search
  package var length = Duration.seconds(3)

  private static var search: RateSearch.Plan {
    var plan = RateSearch.Plan()
    plan.lowest = 125
    plan.highest = 1_000_000
    return plan
  }
}

/// Finds the highest rate at which a client keeps up over the bad network: with its gaps, what it asks for
/// again, and its observers.
///
/// Without outages: after one, whoever was cut off is behind whatever the rate. Each trial goes on where
/// the one before it ended, once the client has caught up.
struct SoakSaturation {
  let cache: NormalizedCache<MeasurementSchema>
  let server: SoakServer
  let clock: MonotonicClock
  let plan: SoakPlan
  /// Says of a rate whether it is kept up with, in place of a trial; for tests, in which no time counts.
  var keepsUp: (@Sendable (Double) -> Bool)?

  private static let sampling: Int64 = 50_000_000
  private static let patience = Duration.seconds(10)

  /// - Parameter progress: told of each rate before it is tried.
  /// - Returns: events per second; `nil`: not even the lowest rate.
  /// - Throws: `CancellationError`.
  func run(_ progress: (Double) -> Void) async throws -> Double? {
    var search = RateSearch(plan: plan.trials.search)
    var trials: UInt64 = 0
    while let rate = search.next {
      progress(rate)
      var isSustained = false
      // Twice: a pause of the machine is no reason to call a rate too high.
      for _ in 0..<2 where !isSustained {
        trials += 1
        isSustained = try await trial(of: rate, trials)
      }
      search.tell(isSustained ? .met : .missed)
    }
    return search.highestMet
  }

  private func trial(of rate: Double, _ number: UInt64) async throws -> Bool {
    if let keepsUp { return keepsUp(rate) }
    var faults = plan.faults
    faults.outageEvery = 0
    var feed = SoakFeed(
      cache: cache, server: server, clock: clock, rate: rate, faults: faults,
      random: RandomSource(seed: plan.seed).substream("soak-trial", number))
    var backlog = BacklogSamples(rate: rate)
    try await feed.run(
      for: plan.trials.length.wholeNanoseconds, sampledEvery: Self.sampling
    ) { _, unsent in
      backlog.add(unsent + Double(await behind))
    }
    // What is still under way is lost; the next heartbeat tells of it.
    return try await catchUp() && backlog.isBounded
  }

  /// Events that the server has told and the cache has not taken in.
  private var behind: Int {
    get async {
      let reached = await cache.cursor(of: StreamID(library: plan.library.library))
      return Int(server.place.position.sequence) - Int(reached?.sequence ?? 0)
    }
  }

  private func catchUp() async throws -> Bool {
    let deadline = clock.now.advanced(by: Self.patience)
    while await behind > 0 {
      guard clock.now < deadline else { return false }
      await cache.receiveHeartbeat(server.place)
      try await Task.sleep(for: .milliseconds(100))
    }
    return true
  }
}
