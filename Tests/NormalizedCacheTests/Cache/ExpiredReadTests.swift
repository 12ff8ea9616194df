import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("The actor serves what has expired")
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

  @Test("B25 Stale while revalidate: the rows come at once, the fetch goes on beside")
  func whileRevalidate() async throws {
    let source = NoteSource()
    let cache = try await cache(source, whileRevalidate: .seconds(60))
    // Nobody answers: a read that waited would never return.
    #expect(try await cache.query(folder).count == 3)
    #expect(try await cache.fetchEntity(.note(1), library: .test)?.key == .note(1))
    var newer = server
    newer.write((4, Note(folder: 0, title: "4")))
    await source.answerFetch(from: newer)
    while await cache.rows(of: folder).count < 4 { await Task.yield() }
  }

  @Test("B25 Stale if error: those who wait get what has expired, beyond the window the error")
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

  @Test("B25 Not modified answers those who wait with the rows that the cache has")
  func notModified() async throws {
    let source = NoteSource()
    let cache = try await cache(source)
    let waiting = try await SingleFlightTests.waiters(2, for: folder, of: cache)
    #expect(await source.confirmFetch(from: server) == server.place)
    for waiter in waiting { #expect(try await waiter.value.count == 3) }
  }

  @Test("B25 Who waits for an answer that is asked again waits on")
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
