import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Which query leaves, and as what it is missed")
struct DepartureTests {
  private let folder = NoteQuery.folder(0)

  /// A client that observed a folder without ever getting an answer.
  private func unanswered(_ composition: PolicyComposition) throws -> NoteClient {
    var client = try NoteClient(composition)
    client.now = Instant.zero.advanced(by: .seconds(1_000))
    client.store.addObserver(of: folder.key(), at: client.now)
    client.read(folder)
    client.fail(client.takeFetch().id)
    return client
  }

  @Test(
    "B26 A query that was never answered is cold, however it left", arguments: Retention.allCases)
  func neverAnswered(retention: Retention) throws {
    let freshness = Freshness(timeToLive: .seconds(10), dropsExpired: true)
    for maximum in [nil, 1] {
      var client = try unanswered(
        .test(retention: retention, freshness: freshness, maximumQueries: maximum))
      client.stopObserving(folder)
      client.wait(.seconds(20))
      if maximum != nil { _ = client.load(.folder(1), from: NoteServer()) }
      #expect(client.read(folder) == .missCold)
      client.store.checkInvariants()
    }
  }

  @Test("B26 Nor does logging out make it known")
  func cleared() throws {
    let server = NoteServer()
    var client = try unanswered(.test())
    client.store.clear(.test, at: client.now)
    client.collect()
    client.answerAll(from: server)
    client.stopObserving(folder)
    #expect(client.read(folder) == .hit)
    client.store.clear(.test, at: client.now)
    #expect(client.read(folder) == .missInvalidated, "by then it had been answered")
  }

  @Test("B26 What failed while it was cached leaves as what it was")
  func answeredOnce() throws {
    let server = NoteServer()
    var client = try NoteClient(
      .test(freshness: Freshness(timeToLive: .seconds(10), dropsExpired: true)))
    _ = client.load(folder, from: server)
    client.wait(.seconds(10))
    #expect(client.read(folder) == .missExpired)
    client.fail(client.takeFetch().id)
    #expect(client.read(folder) == .missExpired)
  }

  @Test("B9 A read and an observer that comes or goes are uses; the query used longest ago leaves")
  func leastRecentlyUsed() throws {
    let server = NoteServer()
    var client = try NoteClient(.test(maximumQueries: 3))
    client.observe(.folder(0), from: server)
    _ = client.load(.folder(1), from: server)
    _ = client.load(.folder(2), from: server)
    client.stopObserving(.folder(0))
    _ = client.load(.folder(3), from: server)
    #expect(client.read(.folder(1)) == .missEvicted, "read second, and then no more")
    client.answerAll(from: server)
    #expect(
      client.read(.folder(2)) == .missEvicted, "read third; the first was on screen after that")
    client.answerAll(from: server)
    #expect(client.read(.folder(0)) == .missEvicted)
  }

  @Test("B9 Of several that leave the screen at one instant, the first to leave goes first")
  func oneInstant() throws {
    let server = NoteServer()
    var client = try NoteClient(.test(maximumQueries: 2))
    for number in 0..<3 { client.observe(.folder(number), from: server) }
    for number in [2, 0, 1] { client.stopObserving(.folder(number)) }
    #expect(client.store.cachedQueries == 2)
    #expect(client.read(.folder(0)) == .hit)
    #expect(client.read(.folder(1)) == .hit)
    #expect(client.read(.folder(2)) == .missEvicted)
  }

  @Test("B9 A query that is never cached is held and shared while somebody observes it")
  func observedAndNotCached() throws {
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "a")))
    var client = try NoteClient()
    #expect(client.read(.live) == .bypass)
    client.answerAll(from: server)
    #expect(client.read(.live) == .bypass)
    client.answerAll(from: server)
    client.observe(.live, from: server)
    #expect(client.read(.live) == .hit)
    client.stopObserving(.live)
    #expect(client.read(.live) == .bypass)
  }
}
