import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Freshness that lasts while something is observed")
struct WatchedFreshnessTests {
  private let folder = NoteQuery.folder(0)

  private func client(dropsExpired: Bool = false) throws -> NoteClient {
    var freshness = Freshness(
      timeToLive: .seconds(4), start: .answerWhileObserved,
      staleWhileRevalidate: dropsExpired ? .zero : .seconds(60))
    freshness.dropsExpired = dropsExpired
    return try NoteClient(.test(freshness: freshness))
  }

  @Test(
    "B24 A result is fresh for its time to live after the answer, until the last observer leaves")
  func lastsWhileObserved() throws {
    let server = ReleaseBufferTests.server()
    var client = try client()
    client.observe(folder, from: server)
    client.observe(.folder(1), from: server)
    client.wait(.seconds(3))
    client.stopObserving(folder)
    #expect(client.isFresh(folder) == true, "another query is observed")
    client.stopObserving(.folder(1))
    #expect(client.isFresh(folder) == false)
    #expect(client.isFresh(.folder(1)) == false)
    #expect(client.read(folder) == .hit)
    #expect(client.fetches.count == 1, "served, and asked for again")
    client.answerAll(from: server)
    #expect(client.isFresh(folder) == false, "nothing is observed when the answer comes")
    client.observe(folder, from: server)
    client.wait(.milliseconds(1))
    client.answerAll(from: server)
    client.wait(.seconds(4) - .nanoseconds(1))
    #expect(client.isFresh(folder) == true)
    client.wait(.nanoseconds(1))
    #expect(client.isFresh(folder) == false)
  }

  @Test("B24 An observer that is served expired asks a millisecond later, if it is there still")
  func asksLater() throws {
    let server = ReleaseBufferTests.server()
    var client = try client()
    _ = client.load(folder, from: server)
    for stays in [false, true] {
      client.store.addObserver(of: folder.key(), at: client.now)
      #expect(client.read(folder) == .hit)
      #expect(client.fetches.isEmpty)
      if !stays { client.stopObserving(folder) }
      client.wait(.milliseconds(1))
      #expect(client.fetches.count == (stays ? 1 : 0))
    }
  }

  @Test("B24 An answer requested before the last observer left is applied, and not joined")
  func asksAgain() throws {
    let server = ReleaseBufferTests.server()
    var client = try client()
    client.store.addObserver(of: folder.key(), at: client.now)
    client.read(folder)
    client.stopObserving(folder)
    let first = client.takeFetch()
    client.read(folder)
    #expect(client.fetches.count == 1, "a request of its own")
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [0])
    client.complete(first.id, with: server.answer(first.target))
    #expect(client.rows(of: folder) == [0])

    client.store.addObserver(of: NoteQuery.folder(1).key(), at: client.now)
    client.read(.folder(1))
    client.stopObserving(.folder(1))
    client.answerAll(from: server)
    #expect(client.rows(of: .folder(1)) == [1], "the answer is taken")
    #expect(client.isFresh(.folder(1)) == false)
  }

  @Test("B24 An invalidation also rejects answers requested before the last observer left")
  func invalidatedMeanwhile() throws {
    let server = ReleaseBufferTests.server()
    var client = try client()
    client.observe(.folder(1), from: server)
    client.store.addObserver(of: folder.key(), at: client.now)
    client.read(folder)
    let first = client.takeFetch()
    let read = server.answer(first.target)
    client.stopObserving(folder)
    client.stopObserving(.folder(1))
    client.store.invalidate(folder.key(), at: client.now)
    client.complete(first.id, with: read)
    #expect(client.isFresh(folder) == false, "it was read before the invalidation")
    #expect(client.read(folder) != .hit)
    #expect(client.fetches.count == 1, "asked for again")
  }

  @Test("B24 Data that expires with the last observer is dropped if expired data is")
  func dropped() throws {
    let server = ReleaseBufferTests.server()
    var client = try client(dropsExpired: true)
    client.observe(folder, from: server)
    client.observe(.folder(1), from: server)
    client.stopObserving(.folder(1))
    #expect(client.store.cachedQueries == 2)
    client.stopObserving(folder)
    #expect(client.store.cachedQueries == 0)
  }
}
