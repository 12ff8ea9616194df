import CacheModel
import NormalizedCache

/// Two readers of listings: one of the cache under test, and a control, on a cache with the same
/// content that hears of no event.
///
/// Both are open loops on the executor of any task of an app: what the second waits
/// is the machine's doing, and what the first waits beyond that is the events'.
package struct ReaderPair: Sendable {
  /// From the intended instant to all rows in hand, in nanoseconds.
  package struct Samples: Sendable {
    package var ofCache: [Int64]
    package var ofControl: [Int64]
  }

  private let cache: ListingReader
  private let control: ListingReader

  /// - Returns: `nil` where the plan has no reads.
  init?(
    plan: PipelinePlan, cache: NormalizedCache<MeasurementSchema>, clock: MonotonicClock
  ) async throws {
    guard let rate = plan.readsPerSecond else { return nil }
    let library = plan.devices.library
    let quiet = try NormalizedCache(
      composition: plan.composition, schema: MeasurementSchema(),
      source: LibraryServer(library: library), clock: clock)
    let keys = Array(library.queryKeys.prefix(plan.observedDirectories))
    for key in keys {
      _ = await quiet.observe(key) { _, _ in }
      _ = try await quiet.query(key)
    }
    let root = RandomSource(seed: plan.devices.seed)
    func reader(_ cache: NormalizedCache<MeasurementSchema>, _ number: UInt64) -> ListingReader {
      let count = max(Int(rate * Double(plan.devices.lastOffset) / 1e9), 1)
      return ListingReader(
        cache: cache, keys: keys,
        arrivals: ArrivalProcess(
          count: count, perSecond: rate, random: root.substream("reads", number)),
        random: root.substream("read-listings", number), clock: clock)
    }
    self.cache = reader(cache, 0)
    control = reader(quiet, 1)
  }

  func run(from start: Instant) async -> Samples {
    async let ofCache = cache.run(from: start)
    async let ofControl = control.run(from: start)
    return Samples(ofCache: await ofCache, ofControl: await ofControl)
  }
}

/// Reads a listing at each of the arrival times, one after the other: what waits behind a slow read is
/// counted from its own instant.
private struct ListingReader: Sendable {
  let cache: NormalizedCache<MeasurementSchema>
  let keys: [QueryKey]
  let arrivals: ArrivalProcess
  let random: RandomSource
  let clock: MonotonicClock

  /// What each read took, until all are done or the task is cancelled.
  func run(from start: Instant) async -> [Int64] {
    var random = random
    var samples: [Int64] = []
    var checksum: Int64 = 0
    for offset in arrivals.offsets {
      let intended = start.advanced(byNanoseconds: offset)
      let key = keys[random.below(keys.count)]
      guard (try? await clock.sleep(until: intended)) != nil,
        let rows = try? await cache.query(key)
      else { break }
      let read = clock.now
      for row in rows { checksum &+= row.payload.size }
      samples.append(read.nanoseconds - intended.nanoseconds)
    }
    // Without a use of what was read, it need not be.
    withExtendedLifetime(checksum) {}
    return samples
  }
}
