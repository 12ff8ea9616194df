import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Rows of a query as an app takes them")
struct RowTests {
  private static let folder = NoteQuery.folder(0)

  private static func server() -> NoteServer {
    var server = NoteServer()
    for number in 0..<20 { server.write((number, Note(folder: 0, title: "\(100 + number)"))) }
    return server
  }

  /// Whole, mapped, and with gaps: the three must tell the same.
  private static func check(_ client: borrowing NoteClient) {
    let key = folder.key()
    let rows = client.store.rows(of: key)
    let resident = client.store.residentRows(of: key)
    #expect(resident?.rows == rows?.compactMap { $0 })
    #expect(resident?.missing == rows?.count { $0 == nil })
    let mapped = client.store.mapRows(of: key) {
      VersionedEntity(key: $0, version: $1, payload: $2)
    }
    #expect(mapped == resident?.rows ?? [])
  }

  @Test("B16 Mapped rows are the rows, in order, those without a value left out")
  func mapped() throws {
    var server = Self.server()
    var client = try NoteClient(.test(capacity: Capacity(entities: 12)))
    Self.check(client)
    #expect(client.store.residentRows(of: Self.folder.key()) == nil)
    client.observe(Self.folder, from: server)
    #expect(client.store.residentRows(of: Self.folder.key())?.missing == 8)
    Self.check(client)
    client.receive(server.write((3, Note(folder: 0, title: "099"))))
    client.receive(server.delete(.note(5)))
    client.answerAll(from: server)
    Self.check(client)
  }

  @Test("B45 Mapped rows show pending changes")
  func pending() throws {
    let server = Self.server()
    var client = try NoteClient()
    client.observe(Self.folder, from: server)
    try client.begin(NoteMutation(1, .update(.note(4), .title("zzz"))))
    let titles = client.store.mapRows(of: Self.folder.key()) { _, _, note in note.title }
    #expect(titles.last == "zzz")
    Self.check(client)
  }

  @Test("An error thrown by a transform is rethrown")
  func failure() throws {
    struct Failure: Error {}
    var client = try NoteClient()
    client.observe(Self.folder, from: Self.server())
    #expect(throws: Failure.self) {
      try client.store.mapRows(of: Self.folder.key()) { _, _, _ throws(Failure) -> Int in
        throw Failure()
      }
    }
  }
}

@Suite("The actor serves expired results")
struct ExpiredReadTests {
  let folder = NoteQuery.folder(0).key()
  let server = RevalidationTests.server()

  /// A cache with the folder's three notes, which have expired.
  private func cache(
    _ source: NoteSource, whileRevalidate: Duration = .zero, ifError: Duration = .zero,
    age: Duration = .seconds(11)
  ) async throws -> NoteCache {
    let clock = ManualClock()
    let cache = try NoteCache.test(
      .test(
        freshness: Freshness(
          timeToLive: .seconds(10), staleWhileRevalidate: whileRevalidate, staleIfError: ifError)),
      source: source, clock: clock)
    async let rows = cache.query(folder)
    await source.answerFetch(from: server)
    #expect(try await rows.count == 3)
    clock.advance(by: age)
    return cache
  }

  @Test("B25 Stale while revalidate: the rows come immediately, and the fetch continues")
  func whileRevalidate() async throws {
    let source = NoteSource()
    let cache = try await cache(source, whileRevalidate: .seconds(60))
    // Without an answer: a read that waited would never return.
    #expect(try await cache.query(folder).count == 3)
    #expect(try await cache.fetchEntity(.note(1), library: .test)?.key == .note(1))
    var newer = server
    newer.write((4, Note(folder: 0, title: "4")))
    await source.answerFetch(from: newer)
    while await cache.rows(of: folder).count < 4 { await Task.yield() }
  }

  @Test("B25 Stale if error: waiting callers get the expired result, beyond the window the error")
  func ifError() async throws {
    let source = NoteSource()
    let cache = try await cache(source, ifError: .seconds(60))
    let waiting = try await SingleFlightTests.waiters(3, for: folder, of: cache)
    await source.failFetch()
    for waiter in waiting { #expect(try await waiter.value.count == 3) }
    async let entity = cache.fetchEntity(.note(2), library: .test)
    await source.failFetch()
    #expect(try await entity?.key == .note(2))

    let tooOld = try await self.cache(source, ifError: .seconds(60), age: .seconds(70))
    let late = try await SingleFlightTests.waiters(2, for: folder, of: tooOld)
    await source.failFetch()
    for waiter in late {
      await #expect(throws: NoteSource.Failure.self) { try await waiter.value }
    }
  }

  @Test("B25 Not modified answers waiting callers with the rows of the cache")
  func notModified() async throws {
    let source = NoteSource()
    let cache = try await cache(source)
    let waiting = try await SingleFlightTests.waiters(2, for: folder, of: cache)
    #expect(await source.confirmFetch(from: server) == server.place)
    for waiter in waiting { #expect(try await waiter.value.count == 3) }
  }

  @Test("B25 A caller that waits for an answer that is requested again continues to wait")
  func askedAgain() async throws {
    let source = NoteSource()
    let cache = try await cache(source)
    let waiting = try await SingleFlightTests.waiters(2, for: folder, of: cache)
    await source.awaitFetch()
    var newer = server
    await cache.receive(newer.write((4, Note(folder: 0, title: "4"))))
    await source.confirmFetch(from: server)
    await source.answerFetch(from: newer)
    for waiter in waiting { #expect(try await waiter.value.count == 4) }
    #expect(await source.fetchCount == 3)
  }
}

@Suite("Values that events replace")
struct ReplacedValueTests {
  @Test("B13 An observer that writes, and one that reads, see the newest value; none is kept")
  func observers() async throws {
    var server = ObserverTests.server()
    let cache = try await ObserverTests.loaded(from: server, NoteSource())
    let record = ObserverTests.Record()
    let key = NoteQuery.folder(0).key()
    let events = ["b", "c"].map { server.write((1, Note(folder: 0, title: $0))) }
    _ = await cache.observe(key) { cache, key in
      let titles = ObserverTests.titles(key, in: cache)
      record.add(titles, on: cache)
      if titles == "b" { cache.receive(events[1]) }
    }
    await cache.receive(events[0])
    #expect(await record.lines(on: cache) == ["a", "b", "c"])
    #expect(await cache.keptValues == 0)
  }

  @Test("In a batch that names an entity several times the newest value shows; none is kept")
  func batch() async throws {
    let cache = try await ObserverTests.loaded(from: ObserverTests.server(), NoteSource())
    // In and out of turn, known and new, and more of them than are looked up ahead.
    let clocks: [UInt64] = [100, 103, 101, 102, 107, 104, 106, 105, 111, 108, 110, 109]
    let items = clocks.enumerated().map { index, clock in
      VersionedEntity(
        key: .note(1 + index % 3), version: Version(clock: clock, device: 1),
        payload: Note(folder: 0, title: "\(clock)"))
    }
    await cache.receive(EventEnvelope(place: nil, event: .batchChanged(items)), library: .test)
    for note in 1...3 {
      let newest = items.filter { $0.key == .note(note) }.map(\.version.clock).max()
      #expect(await cache.entity(.note(note))?.version.clock == newest)
      #expect(await cache.entity(.note(note))?.payload.title == newest.map { "\($0)" })
    }
    #expect(await cache.keptValues == 0)
  }
}
