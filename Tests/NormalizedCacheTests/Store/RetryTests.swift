import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Failed fetches of observed queries, and results that do not fit")
struct RetryTests {
  let folder = NoteQuery.folder(0)

  private func observing(_ composition: CachePolicy = .test()) throws -> NoteClient {
    var client = try NoteClient(composition)
    client.store.addObserver(of: folder.key(), at: client.now)
    client.read(folder)
    return client
  }

  @Test("B26 An observed query is fetched again after a second, then twice as long, up to a minute")
  func backOff() throws {
    var client = try observing()
    var pauses: [Int64] = []
    for _ in 0..<9 {
      client.fail(client.takeFetch().id)
      #expect(client.fetches.isEmpty)
      let next = client.store.nextDeadline
      let deadline = try #require(next)
      pauses.append(client.now.duration(to: deadline).components.seconds)
      client.wait(client.now.duration(to: deadline) - .nanoseconds(1))
      #expect(client.fetches.isEmpty)
      client.wait(.nanoseconds(1))
      #expect(client.fetches.count == 1)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    let server = FreshnessTests.server()
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [1])
    #expect(client.store.nextDeadline == nil)
    client.store.invalidate(folder.key(), at: client.now)
    client.collect()
    client.fail(client.takeFetch().id)
    client.wait(.seconds(1))
    #expect(client.fetches.count == 1, "a success begins again")
  }

  @Test("B23 Making a failing query stale does not refetch it; a read and a heartbeat do")
  func bounded() throws {
    let server = FreshnessTests.server()
    var client = try observing()
    client.heartbeat(from: server)
    client.fail(client.takeFetch().id)
    for _ in 0..<5 { client.store.invalidate(folder.key(), at: client.now) }
    client.collect()
    #expect(client.fetches.isEmpty)
    client.read(folder)
    #expect(client.fetches.count == 1)
    client.fail(client.takeFetch().id)
    client.heartbeat(from: server)
    #expect(client.fetches.count == 1)
    client.answerAll(from: server)
    client.wait(.seconds(120))
    #expect(client.fetches.isEmpty)
  }

  @Test("B23 Coming online requests observers' missing data immediately, and nothing else")
  func online() throws {
    let server = FreshnessTests.server()
    var client = try observing()
    for _ in 0..<3 {
      client.fail(client.takeFetch().id)
      client.wait(.seconds(60))
    }
    client.fail(client.takeFetch().id)
    client.store.setOnline(true, at: client.now)
    client.collect()
    #expect(client.fetches.isEmpty, "it was online")
    for isOnline in [false, true] { client.store.setOnline(isOnline, at: client.now) }
    client.collect()
    #expect(client.fetches.count == 1)
    client.fail(client.takeFetch().id)
    client.wait(.seconds(1))
    #expect(client.fetches.count == 1, "the pauses begin again")
    client.answerAll(from: server)
    for isOnline in [false, true] { client.store.setOnline(isOnline, at: client.now) }
    client.collect()
    #expect(client.fetches.isEmpty)
  }

  @Test("B23 A query that is no longer observed is no longer fetched")
  func unobserved() throws {
    var client = try observing()
    client.fail(client.takeFetch().id)
    client.stopObserving(folder)
    client.wait(.seconds(120))
    #expect(client.fetches.isEmpty)
    #expect(client.store.nextDeadline == nil)
  }

  @Test(
    "B23 A result that does not fit is fetched again by a read, not by every heartbeat",
    arguments: [0, 1, 2])
  func doesNotFit(capacity: Int) throws {
    let server = RevalidationTests.server()
    var client = try NoteClient(.test(capacity: Capacity(entities: capacity)))
    client.observe(folder, from: server)
    for _ in 0..<5 { client.heartbeat(from: server) }
    #expect(client.fetches.isEmpty)
    #expect(client.read(folder) == .partial)
    #expect(client.fetches.count == 1)
  }

  @Test(
    "B23 Two observed results that fit only separately do not displace each other forever")
  func together() throws {
    var server = RevalidationTests.server()
    for number in 4...6 { server.write((number, Note(folder: 1, title: "\(number)"))) }
    var client = try NoteClient(.test(capacity: Capacity(entities: 4)))
    client.observe(folder, from: server)
    client.observe(.folder(1), from: server)
    var fetches = 0
    for _ in 0..<10 {
      client.heartbeat(from: server)
      fetches += client.fetches.count
      client.answerAll(from: server)
    }
    #expect(fetches == 0)
  }

  @Test("B2 A result that is fetched a thousand times has one expiry")
  func oneExpiry() throws {
    let server = FreshnessTests.server()
    var client = try NoteClient(
      .test(retention: .cached, freshness: Freshness(timeToLive: .seconds(10))))
    for _ in 0..<1_000 {
      client.wait(.milliseconds(10))
      client.store.invalidate(folder.key(), at: client.now)
      _ = client.load(folder, from: server)
    }
    client.wait(.seconds(10) - .nanoseconds(1))
    #expect(client.store.referenceCount(of: .note(1)) == 1)
    client.wait(.nanoseconds(1))
    #expect(client.store.referenceCount(of: .note(1)) == 0)
  }
}

@Suite("Reconciles that came to nothing, and a server that can be reached again")
struct ReachableTests {
  private let folder = NoteQuery.folder(0)

  /// A client whose reconcile has failed some times, and that lags behind its server by a note.
  private func lagging(behind server: inout NoteServer, failures: Int) throws -> NoteClient {
    server = StreamTests.server()
    var client = try StreamTests.client(of: server)
    _ = server.write((2, Note(folder: 0, title: "lost")))
    client.heartbeat(from: server)
    client.wait(.milliseconds(200))
    for failure in 0..<failures {
      client.fail(client.takeReconcile().id)
      if failure < failures - 1 { client.wait(.seconds(60)) }
    }
    return client
  }

  private func comeOnline(_ client: inout NoteClient) {
    for isOnline in [false, true] { client.store.setOnline(isOnline, at: client.now) }
    client.collect()
  }

  @Test("B38 A heartbeat that names the gap ends the pause, and asks once")
  func heartbeat() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 5)
    client.heartbeat(from: server)
    #expect(client.reconciles.count == 1)
    client.heartbeat(from: server)
    #expect(client.reconciles.count == 1, "it is under way")
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [1, 2])
    client.heartbeat(from: server)
    #expect(client.reconciles.isEmpty, "nothing is missing")
    #expect(client.store.statistics.gapsDetected == 1)
  }

  @Test("B38 A heartbeat whose reconcile fails again does not shorten the pauses")
  func pauses() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 3)
    client.heartbeat(from: server)
    client.fail(client.takeReconcile().id)
    client.wait(.seconds(8) - .nanoseconds(1))
    #expect(client.reconciles.isEmpty)
    client.wait(.nanoseconds(1))
    #expect(client.reconciles.count == 1)
  }

  @Test("B38 Coming online asks immediately, and the pauses begin at a second again")
  func online() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 5)
    client.store.setOnline(true, at: client.now)
    client.collect()
    #expect(client.reconciles.isEmpty, "it was online")
    comeOnline(&client)
    #expect(client.reconciles.count == 1)
    client.fail(client.takeReconcile().id)
    client.wait(.seconds(1))
    #expect(client.reconciles.count == 1)
    client.answerAll(from: server)
    comeOnline(&client)
    #expect(client.reconciles.isEmpty)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B37 A gap that a heartbeat names first waits for the reorder window")
  func newGap() throws {
    var server = StreamTests.server()
    var client = try StreamTests.client(of: server)
    let late = server.write((2, Note(folder: 0, title: "late")))
    client.heartbeat(from: server)
    comeOnline(&client)
    #expect(client.reconciles.isEmpty)
    client.receive(late)
    client.wait(.seconds(1))
    #expect(client.reconciles.isEmpty)
  }

  @Test("B38 Reads are served while events are known to be missing, and do not count as fresh")
  func suspect() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 1)
    #expect(client.read(folder) == .hit)
    #expect(client.isFresh(folder) == false)
    let entity = client.store.readEntity(.note(1), library: .test, at: client.now)
    #expect(entity.outcome == .hit)
    #expect(client.fetches.isEmpty)
  }
}
