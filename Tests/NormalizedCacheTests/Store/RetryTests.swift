import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Failed fetches of observed queries, and results that do not fit")
struct RetryTests {
  let folder = NoteQuery.folder(0)

  private func observing(_ composition: PolicyComposition = .test()) throws -> NoteClient {
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
      client.store.checkInvariants()
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
    #expect(client.fetches.count == 1, "a success begins anew")
  }

  @Test("B23 What makes a failing query stale asks for no fetch; a read and a heartbeat do")
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
    client.store.checkInvariants()
  }

  @Test("B23 Coming online asks at once for what observers lack, and for nothing else")
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
    #expect(client.fetches.count == 1, "the pauses begin anew")
    client.answerAll(from: server)
    for isOnline in [false, true] { client.store.setOnline(isOnline, at: client.now) }
    client.collect()
    #expect(client.fetches.isEmpty)
    client.store.checkInvariants()
  }

  @Test("B23 Nobody observes it any longer: nobody fetches it again")
  func unobserved() throws {
    var client = try observing()
    client.fail(client.takeFetch().id)
    client.stopObserving(folder)
    client.wait(.seconds(120))
    #expect(client.fetches.isEmpty)
    #expect(client.store.nextDeadline == nil)
    client.store.checkInvariants()
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
    "B23 Two observed results that fit alone but not together do not drive each other out for ever")
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
    client.store.checkInvariants()
    client.wait(.seconds(10) - .nanoseconds(1))
    #expect(client.store.referenceCount(of: .note(1)) == 1)
    client.wait(.nanoseconds(1))
    #expect(client.store.referenceCount(of: .note(1)) == 0)
  }
}
