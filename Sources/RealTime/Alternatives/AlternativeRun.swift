import CacheModel

/// Puts one alternative under the events of a workload, and checks that it did what it was timed for.
///
/// Back to back first, then open loop. Events are made before they are timed, a block at a time.
package struct AlternativeRun: Sendable {
  package var workload: AlternativeWorkload
  package var seed: UInt64
  /// Each round has events of its own, the same for every alternative.
  package var round = 0
  /// Events that are not counted, and that are, back to back and open loop.
  package var warmUp = 200
  package var hot = 1_500
  package var paced = 500
  /// Per second.
  package var rate = 1_000.0
  /// How long each of the two may take; what a slow alternative does not manage in it is left out.
  package var limit = Duration.seconds(4)

  /// Files in a block: few enough to stay in the processor's caches.
  private static let filesPerBlock = 100
  /// Its clock is the subject's: instants of two cannot be compared.
  private let driver = Driver()

  package init(workload: AlternativeWorkload, seed: UInt64) {
    self.workload = workload
    self.seed = seed
  }

  /// Runs an alternative to its end, and lets it go.
  ///
  /// - Throws: ``AlternativeRunError``, or what the alternative throws.
  package func run(
    _ make: (FileLibrary) async throws -> any AlternativeCache
  ) async throws -> AlternativeSamples {
    let library = workload.library(seed: seed)
    var subjects = [try await subject(try await make(library), library)]
    do {
      let samples = try await measure(&subjects)
      try await subjects[0].close()
      return samples
    } catch {
      try? await subjects[0].close()
      throw error
    }
  }

  private func subject(
    _ cache: some AlternativeCache, _ library: FileLibrary
  ) async throws -> any Subject<Handover> {
    let script = AlternativeScript(
      library: library, workload: workload,
      random: RandomSource(seed: seed).substream("design-events", UInt64(round)))
    do {
      return try await AlternativeSubject(
        cache, script: script, of: workload, clock: driver.clock)
    } catch {
      try? await cache.close()
      throw error
    }
  }

  private func measure(
    _ subjects: inout [any Subject<Handover>]
  ) async throws -> AlternativeSamples {
    let block = max(1, Self.filesPerBlock / workload.filesPerEvent)
    _ = try await driver.backToBack(warmUp, block: block, within: limit, &subjects[0])
    var samples = AlternativeSamples()
    samples.hot = try await driver.backToBack(hot, block: block, within: limit, &subjects[0])
      .map { .init($0, due: nil) }
    let arrivals = ArrivalProcess(
      count: paced, perSecond: rate,
      random: RandomSource(seed: seed).substream("design-arrivals", UInt64(round)))
    samples.paced = try await driver.openLoop(
      &subjects, at: arrivals.offsets, within: limit, isPreparedOnWaking: false
    ).joined().map { .init($0.handover, due: $0.due) }
    return samples
  }
}

extension AlternativeSamples.Event {
  fileprivate init(_ handover: Handover, due: Instant?) {
    let notified = handover.notified ?? handover.committed
    // Another thread may have seen the commit, and told of it, before this one looked at the clock.
    let committed = min(handover.committed, notified)
    self.init(
      apply: committed.nanoseconds - handover.began.nanoseconds,
      notify: notified.nanoseconds - committed.nanoseconds,
      response: due.map { notified.nanoseconds - $0.nanoseconds })
  }
}
