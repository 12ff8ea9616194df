import CacheModel
import FoundationEssentials
import NormalizedCache

/// A cache of the made library, with every query of it cached and observed.
struct LibrarySubject: Subject, Sendable {
  /// Events as they travel, the next first.
  var messages: ArraySlice<Data> = []
  private let cache: NormalizedCache<MeasurementSchema>
  private let stamps = ObserverStamps()
  private let decoder = WireDecoder()
  private let clock: ContinuousCacheClock

  /// Fills the cache and observes every query.
  ///
  /// - Throws: what a fetch throws.
  init(
    cache: NormalizedCache<MeasurementSchema>, library: FileLibrary, clock: ContinuousCacheClock
  ) async throws {
    self.cache = cache
    self.clock = clock
    for key in library.queryKeys {
      _ = await cache.observe(key) { [stamps] _, _ in stamps.notify(at: clock.now) }
      _ = try await cache.query(key)
    }
  }

  /// Decodes one event and hands it over.
  mutating func perform(_ count: Int) async throws -> Handover {
    guard count == 1, let bytes = messages.popFirst() else {
      preconditionFailure("no event is left")
    }
    let envelope = try decoder.envelope(from: bytes)
    _ = stamps.take()
    let decoded = clock.now
    await cache.receive(envelope) { [stamps, clock] in stamps.commit(at: clock.now) }
    let (committed, notified, calls) = stamps.take()
    return Handover(began: decoded, committed: committed, notified: calls > 0 ? notified : nil)
  }
}
