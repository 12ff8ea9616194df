import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Synchronization
import Testing

@MainActor
@Suite("Integration: one device sees what the other does", .timeLimit(.minutes(30)))
struct TwoDevicesTests {
  @Test("A note that device A creates reaches device B's cache, observer, stream and view")
  func creation() async throws {
    let server = NoteServer(writing: (1, Note(folder: 0, title: "old")))
    let host = NoteHost(server)
    let a = try await Device(host: host)
    let b = try await Device(host: host)
    let folder = NoteQuery.folder(0).key()

    let view = b.titles(.folder(0))
    let elsewhere = b.titles(.folder(1))
    for client in [view, elsewhere] {
      client.start()
      try await until { client.hasResult }
    }
    let calls = Counter()
    let observation = await b.cache.observe(folder) { _, _ in calls.increment() }
    var updates = await b.cache.updates(of: folder).makeAsyncIterator()
    #expect(await updates.next()?.rows.map(\.payload.title) == ["old"])
    _ = try await a.cache.query(folder)
    let fetches = await host.fetchCount

    // A asks the server, and shows the answer before the event is there.
    await host.write((2, Note(folder: 0, title: "new")))
    let created = try #require(await host.server.notes[.note(2)])
    await a.cache.updateEntity(created, library: .test)
    #expect(await a.cache.rows(of: folder).map(\.payload.title) == ["new", "old"])

    try await until { view.data == ["new", "old"] }
    #expect(await updates.next()?.rows.map(\.payload.title) == ["new", "old"])
    #expect(calls.value == 2)
    #expect(await b.cache.entity(.note(2)) == created)
    #expect(elsewhere.data == [])
    try await a.applied(1)
    #expect(await a.cache.rows(of: folder).map(\.payload.title) == ["new", "old"])
    // The event brought everything: nothing was requested again.
    #expect(await host.fetchCount == fetches)
    await observation.cancel()
  }
}

/// A device of the note app, whole: a cache, and the events of its server over the wire.
final class Device: Sendable {
  let cache: NoteCache
  let clock = ManualClock()
  let updater: EventCacheUpdater<NoteSchema>
  private let following: Mutex<Task<Void, Never>?> = Mutex(nil)

  init(host: NoteHost, composition: CachePolicy = .test()) async throws {
    cache = try NoteCache.test(composition, source: host, clock: clock)
    updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    await connect(to: host)
  }

  deinit {
    following.withLock { $0?.cancel() }
  }

  /// Follows the host's events from here on, and sends queued changes.
  func connect(to host: NoteHost) async {
    let events = await host.connect()
    following.withLock { $0 = Task { [updater] in await updater.consume(events) } }
    await cache.setOnline(true)
  }

  /// Receives nothing more, and queues its changes.
  func disconnect() async {
    let task = following.withLock { $0 }
    task?.cancel()
    await task?.value
    await cache.setOnline(false)
  }

  /// Waits until this many events and heartbeats have been applied.
  @MainActor
  func applied(_ count: Int) async throws {
    try await until { await updater.tally.events + updater.tally.heartbeats >= count }
  }

  /// Lets the reorder window pass once there is a sleeper for its end.
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

@MainActor
@Suite("Integration: offline, queued, reconnected, synchronised", .timeLimit(.minutes(30)))
struct OfflineTests {
  /// Two devices that show one note, the first of them offline.
  static func start() async throws -> (NoteHost, offline: Device, online: Device) {
    let server = NoteServer(writing: (1, Note(folder: 0, title: "b")))
    let host = NoteHost(server)
    let offline = try await Device(host: host)
    let online = try await Device(host: host)
    for device in [offline, online] { _ = try await device.cache.query(NoteQuery.folder(0).key()) }
    await offline.disconnect()
    return (host, offline, online)
  }

  @Test(
    "B49 Offline changes show immediately, are sent once and in order, and reach the other device")
  func sync() async throws {
    let (host, a, b) = try await Self.start()
    let (own, others) = (a.titles(.folder(0)), b.titles(.folder(0)))
    for view in [own, others] {
      view.start()
      try await until { view.hasResult }
    }
    try await a.cache.enqueue(
      NoteMutation(1, .create(.temporary(1), Note(folder: 0, title: "c"))))
    try await a.cache.enqueue(NoteMutation(2, .update(.temporary(1), .title("a"))))
    try await a.cache.enqueue(NoteMutation(3, .update(.note(1), .title("d"))))
    try await until { own.data == ["a", "d"] }
    #expect(await host.sendCount == 0)
    #expect(others.data == ["b"])

    // The other device's changes meanwhile are missed.
    await host.write((2, Note(folder: 0, title: "e")))
    try await until { others.data == ["b", "e"] }
    #expect(own.data == ["a", "d"])

    await a.connect(to: host)
    await host.beat()
    try await until { await a.cache.outbox.isEmpty }
    try await until { others.data == ["a", "d", "e"] }
    try await a.passReorderWindow()
    try await until { own.data == ["a", "d", "e"] && !own.isStale }
    #expect(await host.sendCount == 3)
    #expect(await host.server.notes.values.map(\.payload.title).sorted() == ["a", "d", "e"])
  }
}
