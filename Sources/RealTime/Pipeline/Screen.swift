import CacheModel
import NormalizedCache
import Synchronization

/// The changes since the last frame, and the events that caused them.
///
/// The cache's actor adds them, the main actor removes them.
final class Screen: Sendable {
  /// An event that the screen has not drawn yet.
  struct Waiting: Sendable {
    var stamps: PipelineStamps
    /// Its index among the events of the run.
    var sequence: UInt64
  }

  private struct State {
    var changed: [QueryKey] = []
    var isChanged: Set<QueryKey> = []
    var waiting: [Waiting] = []
    var drawn: [Waiting] = []
    var checksum: Int64 = 0
  }

  private let state = Mutex(State())

  /// Notes that an observer was notified of changed rows.
  func mark(_ key: QueryKey) {
    state.withLock { state in
      if state.isChanged.insert(key).inserted { state.changed.append(key) }
    }
  }

  /// Notes that all observers have been notified of an event.
  func expect(_ event: Waiting) {
    state.withLock { $0.waiting.append(event) }
  }

  /// Removes and returns the changes for the next frame.
  func take() -> (changed: [QueryKey], events: [Waiting]) {
    state.withLock { state in
      let taken = (state.changed, state.waiting)
      state.changed.removeAll(keepingCapacity: true)
      state.isChanged.removeAll(keepingCapacity: true)
      state.waiting.removeAll(keepingCapacity: true)
      return taken
    }
  }

  /// Notes a complete frame.
  func finish(_ events: [Waiting], began: Instant, drawn: Instant, checksum: Int64) {
    state.withLock { state in
      // Using the checksum keeps the reads of visible rows from being optimized away.
      state.checksum &+= checksum
      for var event in events {
        event.stamps.frameBegan = began
        event.stamps.drawn = drawn
        state.drawn.append(event)
      }
    }
  }

  /// The drawn events, in the order of the stream.
  var drawn: [Waiting] { state.withLock { $0.drawn }.sorted { $0.sequence < $1.sequence } }

  var drawnCount: Int { state.withLock { $0.drawn.count } }

  /// Whether nothing waits for a frame.
  var isIdle: Bool { state.withLock { $0.waiting.isEmpty && $0.changed.isEmpty } }
}

/// Draws changes on the main actor, at the frames of a display.
@MainActor
struct FrameLoop {
  let screen: Screen
  let cache: NormalizedCache<MeasurementSchema>
  let frames: FrameClock
  let clock: MonotonicClock

  /// Draws until it is cancelled; returns all frames.
  ///
  /// A frame that wakes late draws late; it never draws between two frames.
  func run() async -> FrameHistory {
    var history = FrameHistory(clock: frames)
    while true {
      let due = frames.boundary(after: clock.now)
      guard (try? await clock.sleep(until: due)) != nil else { return history }
      let (changed, events) = screen.take()
      let began = clock.now
      history.append(.init(due: due, began: began))
      var checksum: Int64 = 0
      for key in changed {
        for row in await cache.mapRows(of: key, DrawnRow.init) {
          checksum &+= row.size &+ Int64(row.name.utf8.count)
        }
      }
      screen.finish(events, began: began, drawn: clock.now, checksum: checksum)
    }
  }
}

/// The row of a file in a listing, the only data that a frame reads from the cache.
private struct DrawnRow: Sendable {
  var name: String
  var size: Int64

  init(_ key: EntityKey, _ version: Version, _ file: FilePayload) {
    name = file.name
    size = file.size
  }
}

/// Two readers of listings: one of the cache under test, and a control with a cache of the same content that
/// receives no events.
///
/// Both are open loops on the default executor for tasks: the second one's latency is caused by the machine,
/// the difference by the events.
package struct ReaderPair: Sendable {
  /// The times from the intended instant to the complete rows, in nanoseconds.
  package struct Samples: Sendable {
    package var ofCache: [Int64]
    package var ofControl: [Int64]
  }

  private let cache: ListingReader
  private let control: ListingReader

  /// - Returns: `nil` if the plan has no reads.
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

/// Reads a listing at each of the arrival times, sequentially: the latency includes waiting for a slow read
/// before it.
private struct ListingReader: Sendable {
  let cache: NormalizedCache<MeasurementSchema>
  let keys: [QueryKey]
  let arrivals: ArrivalProcess
  let random: RandomSource
  let clock: MonotonicClock

  /// Returns the latency of each read, when all are complete or the task is cancelled.
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
    // Using the checksum keeps the reads from being optimized away.
    withExtendedLifetime(checksum) {}
    return samples
  }
}
