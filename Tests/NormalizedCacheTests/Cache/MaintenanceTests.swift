import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import SimulatedStorage
import Testing

@Suite("Calls of an app other than reads and changes", .timeLimit(.minutes(30)))
struct MaintenanceTests {
  private let folder = NoteQuery.folder(0).key()
  private let host: NoteHost

  init() {
    var server = NoteServer()
    for number in 1...6 {
      server.write((number, Note(folder: number % 2, title: "\(number)", text: "0123456789")))
    }
    host = NoteHost(server)
  }

  private func cache(_ composition: CachePolicy = .test()) throws -> NoteCache {
    try NoteCache.test(composition, source: host)
  }

  // MARK: Prefetching

  @Test("Prefetched rows are there when they are read, and do not count as a read")
  func prefetch() async throws {
    let cache = try cache()
    await cache.prefetch(folder)
    try await until { await cache.snapshot(of: folder).isFresh }
    #expect(await cache.statistics.reads == 0)
    #expect(await cache.readStatistics.total.reads == 0)
    #expect(try await cache.query(folder).count == 3)
    await cache.prefetch(folder)
    #expect(await host.fetchCount == 1)
  }

  @Test("A read joins the fetch of a prefetch; its error reaches only the read")
  func prefetchFails() async throws {
    let cache = try cache()
    await host.setReachable(false)
    await host.hold(true)
    await cache.prefetch(folder)
    let reading = Task { try await cache.query(folder) }
    try await until { await cache.waitingReads == 1 }
    await host.hold(false)
    await #expect(throws: NoteHost.OutOfReach.self) { try await reading.value }
    #expect(await host.fetchCount == 1)
  }

  // MARK: Tags

  @Test("Tagged rows survive the pressure of other rows; others do not")
  func tag() async throws {
    let cache = try cache(.test(capacity: Capacity(entities: 4), retention: .tags))
    _ = try await cache.query(folder)
    await cache.tag(folder)
    _ = try await cache.query(NoteQuery.folder(1).key())
    #expect(await cache.snapshot(of: folder).isComplete)
    await cache.tag(folder, false)
    await cache.invalidate(NoteQuery.folder(1).key())
    _ = try await cache.query(NoteQuery.folder(1).key())
    #expect(await !cache.snapshot(of: folder).isComplete)
  }

  @Test("A query that is not cached is not claimed")
  func tagUnknown() async throws {
    let cache = try cache(.test(retention: .tags))
    await cache.tag(folder)
    #expect(try await cache.query(folder).count == 3)
    await cache.releaseMemory(toFraction: 0)
    #expect(await cache.residentEntities == 0)
  }

  // MARK: Clearing

  @Test("B27 A cleared library is empty immediately, and an answer from before it is not kept")
  func clearDuringFetch() async throws {
    let cache = try cache()
    await host.hold(true)
    let reading = Task { try await cache.query(folder) }
    try await until { await cache.waitingReads == 1 }
    await cache.clear(library: .test)
    await host.hold(false)
    #expect(try await reading.value.count == 3)
    #expect(await cache.residentEntities == 0)
    #expect(await !cache.snapshot(of: folder).isComplete)
    #expect(try await cache.query(folder).count == 3)
    #expect(await host.fetchCount == 2)
  }

  @Test("B21 Clearing one library leaves the other")
  func clearOne() async throws {
    let cache = try cache()
    let other = NoteQuery.folder(1).key(in: .other)
    _ = try await cache.query(folder)
    _ = try await cache.query(other)
    await cache.clear(library: .test)
    #expect(await cache.residentEntities == 3)
    #expect(await cache.snapshot(of: other).isFresh)
    #expect(await cache.rows(of: folder).isEmpty)
    await cache.clear(library: LibraryID(rawValue: UniqueID(high: 9, low: 9)))
    #expect(await cache.residentEntities == 3)
  }

  @Test("Observed queries are empty immediately, and fetched again")
  func clearObserved() async throws {
    let cache = try cache(.test(retention: .observed))
    let shown = Shown()
    let observation = await cache.observe(folder) { cache, key in
      shown.add(cache.rows(of: key).count, on: cache)
    }
    try await until { await shown.counts(on: cache) == [3] }
    await cache.clear(library: .test)
    try await until { await shown.counts(on: cache) == [3, 0, 3] }
    #expect(await host.fetchCount == 2)
    await cache.updateEntity(
      VersionedEntity(
        key: .note(77), version: Version(clock: 9, device: 9),
        payload: Note(folder: 0, title: "new")),
      library: .test)
    #expect(await shown.counts(on: cache) == [3, 0, 3, 4])
    await observation.cancel()
    #expect(await cache.observersAndFollowers == [0, 0])
  }

  private final class Shown: Sendable {
    private nonisolated(unsafe) var counts: [Int] = []
    func add(_ count: Int, on cache: isolated NoteCache) { counts.append(count) }
    func counts(on cache: isolated NoteCache) -> [Int] { counts }
  }

  @Test("A user's unconfirmed change stays, and is sent")
  func clearPending() async throws {
    let cache = try cache()
    _ = try await cache.query(folder)
    await cache.setOnline(false)
    let mutation = NoteMutation(
      token: .mutation(1), library: .test, edits: [.update(.note(2), .title("mine"))])
    try await cache.enqueue(mutation)
    await cache.clear(library: .test)
    #expect(await cache.entity(.note(2))?.payload.title == "mine")
    #expect(await cache.outbox.map(\.token) == [.mutation(1)])
    await cache.setOnline(true)
    try await until { await cache.outbox.isEmpty }
    #expect(try await cache.query(folder).contains { $0.payload.title == "mine" })
  }

  @Test("B52 Clearing reaches the storage")
  func clearStored() async throws {
    let storage = GatedStorage()
    func open() async throws -> NoteCache {
      try await NoteCache.open(
        composition: .test(), schema: NoteSchema(), source: host, storage: storage,
        codec: NoteCodec(), clock: ManualClock())
    }
    let cache = try await open()
    _ = try await cache.query(folder)
    try await cache.flush()
    await cache.clear(library: .test)
    try await cache.close()
    let reopened = try await open()
    #expect(await reopened.residentEntities == 0)
    #expect(await reopened.restoreReport?.queries == 0)
    #expect(await reopened.restoreReport?.entities == 0)
  }

  @Test("The store agrees with itself after any clearing and releasing", arguments: 0..<20)
  func invariants(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let retentions: [Retention] = [
      .none, .observed, .cached, .referenceCount, .referenceCountObserved, .tags,
    ]
    var client = try NoteClient(
      .test(
        capacity: Capacity(entities: 8), retention: retentions[random.below(6)],
        maximumQueries: 4))
    var server = NoteServer()
    for number in 0..<20 { server.write((number, Note(folder: number % 4, title: "\(number)"))) }
    var observed: [QueryKey] = []
    for _ in 0..<200 {
      let query = NoteQuery.folder(random.below(4))
      switch random.below(8) {
      case 0: client.store.clear(.test, at: client.now)
      case 1: client.store.releaseMemory(toFraction: random.unit(), at: client.now)
      case 2: client.store.tag(query.key(), random.chance(0.5), at: client.now)
      case 3:
        client.store.addObserver(of: query.key(), at: client.now)
        client.read(query)
        observed.append(query.key())
      case 4:
        if let last = observed.popLast() { client.store.removeObserver(of: last, at: client.now) }
      case 5:
        client.receive(
          server.write((random.below(20), Note(folder: random.below(4), title: "x"))))
      default: client.read(query)
      }
      if random.chance(0.7) { client.answerAll(from: server) }
      client.store.checkInvariants()
    }
    client.answerAll(from: server)
    for key in Set(observed) {
      let isFresh = client.store.isListFresh(key, at: client.now)
      #expect(isFresh, "\(NoteQuery(key))")
    }
  }

  // MARK: Memory

  @Test("A share of the content stays, the most recently used")
  func release() async throws {
    let cache = try cache()
    _ = try await cache.query(folder)
    _ = try await cache.query(NoteQuery.folder(1).key())
    await cache.releaseMemory(toFraction: 1)
    #expect(await cache.residentEntities == 6)
    await cache.releaseMemory(toFraction: 0.5)
    #expect(await cache.residentEntities == 3)
    #expect(await cache.rows(of: folder).isEmpty)
    await cache.releaseMemory(toFraction: 0)
    #expect(await cache.residentEntities == 0)
  }

  @Test("Observed and tagged queries stay; unobserved ones go with their rows")
  func releaseRetained() async throws {
    let cache = try cache(.test(retention: .cached))
    _ = try await cache.query(folder)
    let observation = await cache.observe(NoteQuery.folder(1).key()) { _, _ in }
    try await until { await cache.residentEntities == 6 }
    await cache.releaseMemory(toFraction: 0)
    #expect(await cache.residentEntities == 3)
    #expect(await cache.snapshot(of: NoteQuery.folder(1).key()).isComplete)
    await observation.cancel()
  }

  @Test(
    "A share that is none is a mistake of the program", .startsProcesses, arguments: [-0.1, 1.1])
  func noShare(share: Double) async {
    await #expect(processExitsWith: .failure) { [share] in
      var store = try CacheStore(composition: .test(), schema: NoteSchema())
      store.releaseMemory(toFraction: share, at: .zero)
    }
  }

  // MARK: Cursors

  @Test("B36 The cursor is where everything up to it was applied")
  func cursor() async throws {
    let cache = try cache()
    var server = NoteServer()
    let stream = server.place.stream
    #expect(await cache.cursor(of: stream) == nil)
    await cache.receive(server.write((1, Note(folder: 0, title: "a"))))
    _ = server.write((1, Note(folder: 0, title: "b")))
    await cache.receive(server.write((1, Note(folder: 0, title: "c"))))
    #expect(await cache.cursor(of: stream)?.sequence == 1)
  }
}
