package import CacheModel
import NIOCore
import NIOPosix
package import NormalizedCache

/// A client whose cache a storage keeps: its process may be killed, and the next goes on from there.
///
/// It measures nothing; what it must show is that it ends with what the server holds.
package struct KeptClient: Sendable {
  package let resumption: Resumption
  private let library: FileLibrary
  private let cache: NormalizedCache<MeasurementSchema>
  private let source: SyncSource
  private let listening: Task<Void, any Error>
  private let group: MultiThreadedEventLoopGroup

  private static let poll = Duration.milliseconds(5)
  private static let patience = Duration.seconds(10)

  /// Opens the storage, connects, and returns when the cache has all listings and has caught up.
  ///
  /// - Parameters:
  ///   - endpoint: where the server listens.
  ///   - library: what the server holds.
  ///   - composition: the policy of the cache.
  ///   - storage: what keeps the cache; empty before the first start.
  ///   - writeBehind: how long a change may wait to be written.
  /// - Returns: the client, which goes on listening.
  /// - Throws: ``PipelineError``, ``SyncProtocolError``, `CompositionError`, or what the cache throws.
  package static func start(
    at endpoint: SyncEndpoint, library: FileLibrary, composition: PolicyComposition,
    storage: any CacheStorage, writeBehind: WriteBehind = WriteBehind()
  ) async throws -> KeptClient {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let client = SyncClient(
      endpoint: endpoint, role: .subscriber, name: "client with a storage", on: group.next(),
      limits: WireLimits())
    let source = SyncSource(client: client, library: library)
    var listening: Task<Void, any Error>?
    do {
      let cache = try await NormalizedCache.open(
        composition: composition, schema: MeasurementSchema(), source: source, storage: storage,
        codec: FileCodec(), writeBehind: writeBehind, clock: MonotonicClock())
      let stored = await position(of: cache, library)
      listening = Task { try await client.run(Listener(cache: cache)) }
      try await until("the client with a storage is connected") { client.connections > 0 }
      for key in library.queryKeys {
        _ = await cache.observe(key) { _, _ in }
        _ = try await cache.query(key)
      }
      let reached = client.welcomedAt
      try await until("the client with a storage has caught up") {
        await position(of: cache, library) >= reached
      }
      return KeptClient(
        resumption: .init(stored: stored, reached: reached, fetches: source.fetches.value),
        library: library, cache: cache, source: source,
        listening: listening ?? Task {}, group: group)
    } catch {
      listening?.cancel()
      await client.stop()
      _ = await listening?.result
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Waits for an event, compares every listing with the server, writes what is left, and ends.
  ///
  /// - Throws: ``PipelineError``, `StorageError`, or what a request throws.
  package func finish(through sequence: UInt64) async throws {
    try await Self.until("the client with a storage has every event") {
      await Self.position(of: cache, library) >= sequence
    }
    try await source.compare(cache, library, directories: 0..<library.directories)
    try await cache.close()
    await abandon()
  }

  /// Loses the connection, and writes nothing more of its own accord.
  package func abandon() async {
    listening.cancel()
    await source.client.stop()
    // Until it has let go of its connection, which lives on that loop.
    _ = await listening.result
    try? await group.shutdownGracefully()
  }

  private static func position(
    of cache: NormalizedCache<MeasurementSchema>, _ library: FileLibrary
  ) async -> UInt64 {
    await cache.cursor(of: StreamID(library: library.library))?.sequence ?? 0
  }

  private static func until(_ what: String, _ isSo: () async -> Bool) async throws {
    let clock = MonotonicClock()
    let deadline = clock.now.advanced(by: patience)
    while !(await isSo()) {
      guard clock.now < deadline else { throw PipelineError.neverCame(what) }
      try await Task.sleep(for: poll)
    }
  }

  /// What the server tells goes into the cache.
  private struct Listener: SyncClient.Listener {
    let cache: NormalizedCache<MeasurementSchema>

    func welcomed(at place: EventPlace) async { await cache.receiveHeartbeat(place) }
    func heartbeat(_ place: EventPlace) async { await cache.receiveHeartbeat(place) }
    func received(_ event: DecodedEvent) async { await cache.receive(event.envelope) }
  }
}
