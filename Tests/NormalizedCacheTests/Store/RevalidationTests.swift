import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Revalidation: asking whether the answer is still the same")
struct RevalidationTests {
  let folder = NoteQuery.folder(0)

  static func server() -> NoteServer {
    var server = NoteServer()
    for number in 1...3 { server.write((number, Note(folder: 0, title: "\(number)"))) }
    return server
  }

  static func client(of server: NoteServer, _ composition: CachePolicy) throws -> NoteClient {
    var client = try NoteClient(composition)
    client.observe(.folder(0), from: server)
    _ = client.takeNotified()
    return client
  }

  static let expiring = CachePolicy.test(
    capacity: Capacity(entities: 4), freshness: Freshness(timeToLive: .seconds(10)))

  @Test("B25 Not modified renews the result, and notifies no observer")
  func refreshes() throws {
    var server = Self.server()
    var client = try Self.client(of: server, Self.expiring)
    let readAt = server.place
    client.receive(server.write((9, Note(folder: 5, title: "elsewhere"))))
    client.wait(.seconds(10))
    #expect(client.read(folder) == .missExpired)
    let fetch = client.takeFetch()
    #expect(fetch.unlessChangedSince == readAt)
    #expect(client.complete(fetch.id, with: .notModified(at: server.place)) == .answered)
    #expect(client.takeNotified() == [])
    #expect(client.isFresh(folder) == true)
    #expect(client.isFresh(.note(1)) == true)
    client.wait(.seconds(10) - .nanoseconds(1))
    #expect(client.read(folder) == .hit)
    client.wait(.nanoseconds(1))
    #expect(client.read(folder) == .missExpired)
    #expect(client.takeFetch().unlessChangedSince == server.place, "read at the new place")
  }

  @Test("B25 Not modified settles the cause of staleness, as the same rows would")
  func settles() throws {
    let server = Self.server()
    var client = try Self.client(of: server, .test())
    client.store.invalidate(InvalidationTag(library: .test), at: client.now)
    client.collect()
    #expect(client.isFresh(folder) == false)
    let fetch = client.takeFetch()
    client.store.invalidate(folder.key(), at: client.now)
    client.complete(fetch.id, with: .notModified(at: server.place))
    #expect(client.isFresh(folder) == false, "invalidated after it was asked")
    let second = client.takeFetch()
    client.complete(second.id, with: .notModified(at: server.place))
    #expect(client.isFresh(folder) == true)
    #expect(client.isFresh(.note(2)) == true)
  }

  @Test("B25 Not modified, read at a place that does not show the cause, settles nothing")
  func tooEarly() throws {
    var server = Self.server()
    var client = try Self.client(of: server, .test(membership: .markStale))
    let before = server.place
    client.receive(server.write((9, Note(folder: 0, title: "new"))))
    let fetch = client.takeFetch()
    client.complete(fetch.id, with: .notModified(at: before))
    #expect(client.isFresh(folder) == false)
  }

  @Test(
    "B25 The condition is set only if the list is exactly the one read",
    arguments: ["value", "insertion", "removal", "move", "eviction", "epoch", "no place"])
  func conditions(change: String) throws {
    var server = Self.server()
    var client = try Self.client(of: server, Self.expiring)
    switch change {
    case "value": client.receive(server.write((1, Note(folder: 0, title: "1", text: "x"))))
    case "insertion": client.receive(server.write((4, Note(folder: 0, title: "4"))))
    case "removal": client.receive(server.delete(.note(2)))
    case "move": client.receive(server.write((1, Note(folder: 0, title: "9"))))
    case "eviction":
      client.write(50, Note(folder: 5, title: ""), clock: 99)
      client.write(51, Note(folder: 5, title: ""), clock: 99)
    case "epoch":
      server.restart()
      client.heartbeat(from: server)
      // Fetches for the new epoch do not matter here.
      _ = client.takeFetch()
      client.store.invalidate(folder.key(), at: client.now)
    default:
      client.store.invalidate(folder.key(), at: client.now)
      client.collect()
      let fetch = client.takeFetch()
      var response = server.answer(fetch.target)
      response.place = nil
      client.complete(fetch.id, with: response)
    }
    client.wait(.seconds(10))
    client.read(folder)
    #expect(client.takeFetch().unlessChangedSince == nil)
  }

  @Test("B25 Not modified is asked again in full where the list has changed meanwhile")
  func asksAgain() throws {
    var server = Self.server()
    var client = try Self.client(of: server, Self.expiring)
    client.wait(.seconds(10))
    client.read(folder)
    let fetch = client.takeFetch()
    #expect(fetch.unlessChangedSince != nil)
    let place = server.place
    client.receive(server.write((2, Note(folder: 0, title: "2", text: "x"))))
    #expect(client.complete(fetch.id, with: .notModified(at: place)) == .askedAgain)
    let again = client.takeFetch()
    #expect(again.id == fetch.id)
    #expect(again.unlessChangedSince == nil)
    #expect(client.complete(again.id, with: server.answer(again.target)) == .answered)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B25 Not modified is asked again in full where the query was dropped meanwhile")
  func dropped() throws {
    let server = Self.server()
    var composition = Self.expiring
    composition.retention = .referenceCountObserved
    var client = try Self.client(of: server, composition)
    client.wait(.seconds(10))
    client.read(folder)
    client.stopObserving(folder)
    let fetch = client.takeFetch()
    #expect(client.complete(fetch.id, with: .notModified(at: server.place)) == .askedAgain)
    let response = server.answer(fetch.target)
    #expect(client.complete(client.takeFetch().id, with: response) == .answered)
    #expect(client.store.rows(of: fetch.target, answeredBy: response) == response.entities)
  }
}

@Suite("Polling: observed queries are asked for by a timer")
struct PollingTests {
  let folder = NoteQuery.folder(0)

  private func polling(
    every interval: Duration?, freshness: Freshness = .neverExpires
  ) throws -> NoteClient {
    var composition = CachePolicy.test(freshness: freshness)
    composition.pollInterval = interval
    return try NoteClient(composition)
  }

  @Test("B24 An observed query is fetched again so long after its last answer, and not before")
  func interval() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    for _ in 0..<3 {
      #expect(client.store.nextDeadline == client.now.advanced(by: .seconds(30)))
      client.wait(.seconds(30) - .nanoseconds(1))
      #expect(client.fetches.isEmpty)
      client.wait(.nanoseconds(1))
      #expect(client.fetches.count == 1)
      client.wait(.seconds(100))
      #expect(client.fetches.count == 1, "one is in flight")
      client.answerAll(from: server)
    }
    #expect(client.takeNotified() == [folder.key()], "only the first answer was news")
  }

  @Test("B24 A poll that fails is repeated after its pause, and polling goes on")
  func failed() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    client.wait(.seconds(30))
    for pause in [1, 2] {
      client.fail(client.takeFetch().id)
      client.wait(.seconds(pause) - .nanoseconds(1))
      #expect(client.fetches.isEmpty)
      client.wait(.nanoseconds(1))
    }
    client.answerAll(from: server)
    client.wait(.seconds(30))
    #expect(client.fetches.count == 1)
  }

  @Test("B24 Any answer puts the next poll off, whoever asked for it")
  func putOff() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    client.wait(.seconds(20))
    client.store.invalidate(folder.key(), at: client.now)
    client.answerAll(from: server)
    client.wait(.seconds(29))
    #expect(client.fetches.isEmpty)
    client.wait(.seconds(1))
    #expect(client.fetches.count == 1)
  }

  @Test("B24 Unobserved queries are not polled; observed again, due ones are requested")
  func unobserved() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    _ = client.load(folder, from: server)
    #expect(client.store.nextDeadline == nil)
    client.wait(.seconds(20))
    client.store.addObserver(of: folder.key(), at: client.now)
    #expect(client.store.nextDeadline == Instant.zero.advanced(by: .seconds(30)))
    client.stopObserving(folder)
    client.wait(.seconds(60))
    #expect(client.fetches.isEmpty)
    client.store.addObserver(of: folder.key(), at: client.now)
    #expect(client.read(folder) == .hit)
    #expect(client.fetches.count == 1)
  }

  @Test("B24 An unobserved query schedules no wake, whoever requested it")
  func unobservedIsForgotten() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    client.wait(.seconds(20))
    client.stopObserving(folder)
    client.store.invalidate(folder.key(), at: client.now)
    _ = client.load(folder, from: server)
    // The instant that was noted while it was observed may still come; no other does.
    client.wait(.seconds(10))
    #expect(client.store.nextDeadline == nil)
    #expect(client.fetches.isEmpty)
  }

  @Test("B24 A poll that fails is tried again as any fetch of an observed query is")
  func failure() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    client.store.invalidate(folder.key(), at: client.now)
    client.collect()
    client.fail(client.takeFetch().id)
    client.wait(.seconds(1))
    client.fail(client.takeFetch().id)
    #expect(client.store.nextDeadline == client.now.advanced(by: .seconds(2)))
    client.wait(.seconds(2))
    client.answerAll(from: server)
    client.wait(.seconds(30) - .nanoseconds(1))
    #expect(client.fetches.isEmpty)
    client.wait(.nanoseconds(1))
    #expect(client.fetches.count == 1)
  }

  @Test("B24 A query that takes a dropped one's place is due when it was answered itself")
  func reusedPlace() throws {
    let server = FreshnessTests.server()
    var composition = CachePolicy.test(maximumQueries: 1)
    composition.pollInterval = .seconds(30)
    var client = try NoteClient(composition)
    client.observe(folder, from: server)
    client.stopObserving(folder)
    client.wait(.seconds(25))
    _ = client.load(.folder(7), from: server)
    client.store.addObserver(of: NoteQuery.folder(7).key(), at: client.now)
    client.wait(.seconds(29))
    #expect(client.fetches.isEmpty)
    client.wait(.seconds(1))
    #expect(client.fetches.map(\.target) == [.query(NoteQuery.folder(7).key())])
  }

  @Test("B12 An interval of zero, or less, is refused; without one nothing is polled")
  func refused() throws {
    #expect(throws: CachePolicyError.zeroDuration(field: "poll interval")) {
      _ = try polling(every: .zero)
    }
    #expect(throws: CachePolicyError.negativeDuration(field: "poll interval")) {
      _ = try polling(every: .seconds(-1))
    }
    let server = FreshnessTests.server()
    var client = try polling(every: nil)
    client.observe(folder, from: server)
    #expect(client.store.nextDeadline == nil)
  }
}
