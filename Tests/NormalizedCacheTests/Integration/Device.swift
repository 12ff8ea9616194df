import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Synchronization

/// A device of the note app, whole: a cache, and the events of its server over the wire.
final class Device: Sendable {
  let cache: NoteCache
  let clock = ManualClock()
  let updater: EventCacheUpdater<NoteSchema>
  private let following: Mutex<Task<Void, Never>?> = Mutex(nil)

  init(host: NoteHost, composition: PolicyComposition = .test()) async throws {
    cache = try NoteCache.test(composition, source: host, clock: clock)
    updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    await connect(to: host)
  }

  deinit {
    following.withLock { $0?.cancel() }
  }

  /// Follows the host's events from here on, and sends what is queued.
  func connect(to host: NoteHost) async {
    let events = await host.connect()
    following.withLock { $0 = Task { [updater] in await updater.consume(events) } }
    await cache.setOnline(true)
  }

  /// Hears nothing more, and queues what it wants to send.
  func disconnect() async {
    let task = following.withLock { $0 }
    task?.cancel()
    await task?.value
    await cache.setOnline(false)
  }

  /// Waits until so many events and heartbeats have been applied.
  @MainActor
  func applied(_ count: Int) async throws {
    try await until { await updater.tally.events + updater.tally.heartbeats >= count }
  }

  /// Lets the reorder window pass once somebody waits for its end.
  @MainActor
  func passReorderWindow() async throws {
    try await until { clock.nextWake != nil }
    clock.advance(by: .milliseconds(200))
  }

  @MainActor
  func titles(_ query: NoteQuery) -> CachedQueryClient<NoteSchema, String> {
    CachedQueryClient(query.key(), in: cache, reading: \.title)
  }
}
