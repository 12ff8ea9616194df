import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Capacity: limits, watermarks, extremes", .timeLimit(.minutes(30)))
struct CapacityTests {
  /// Writes notes of one weight, each heavier by the text.
  static func fill(_ client: inout NoteClient, notes: Int, text: String = "") {
    for number in 0..<notes {
      client.write(number, Note(folder: 0, title: "", text: text), clock: UInt64(number + 1))
    }
  }

  struct Marks: Sendable {
    var capacity: Capacity
    /// The number of residents after each write of a note that weighs 10 bytes.
    var residents: [Int]
  }

  @Test(
    "B10 Eviction starts above the high mark and stops at the low one",
    arguments: [
      Marks(capacity: Capacity(entities: 4), residents: [1, 2, 3, 4, 4, 4]),
      Marks(
        capacity: Capacity(entities: 4, highWatermark: 1, lowWatermark: 0.5),
        residents: [1, 2, 3, 4, 2, 3]),
      Marks(
        capacity: Capacity(entities: 4, highWatermark: 0.75, lowWatermark: 0.5),
        residents: [1, 2, 3, 2, 3, 2]),
      // The mark of a share that is no whole number is rounded down: 3.96 is 3.
      Marks(
        capacity: Capacity(entities: 4, highWatermark: 0.99, lowWatermark: 0.99),
        residents: [1, 2, 3, 3, 3, 3]),
      Marks(capacity: Capacity(entities: nil, bytes: 30), residents: [1, 2, 3, 3, 3, 3]),
      Marks(capacity: Capacity(entities: nil, bytes: 39), residents: [1, 2, 3, 3, 3, 3]),
      Marks(
        capacity: Capacity(entities: nil, bytes: 40, lowWatermark: 0.25),
        residents: [1, 2, 3, 4, 1, 2]),
      Marks(capacity: Capacity(entities: 2, bytes: 40), residents: [1, 2, 2, 2, 2, 2]),
      Marks(capacity: Capacity(entities: 4, bytes: 20), residents: [1, 2, 2, 2, 2, 2]),
      Marks(capacity: Capacity(entities: 1), residents: [1, 1, 1, 1, 1, 1]),
      Marks(capacity: Capacity(entities: 1, lowWatermark: 0), residents: [1, 1, 1, 1, 1, 1]),
      // Of one, and of a small share, one is kept.
      Marks(
        capacity: Capacity(entities: 1, highWatermark: 0.9, lowWatermark: 0.9),
        residents: [1, 1, 1, 1, 1, 1]),
      Marks(
        capacity: Capacity(entities: 3, highWatermark: 0.9, lowWatermark: 0.1),
        residents: [1, 2, 1, 2, 1, 2]),
      Marks(
        capacity: Capacity(entities: 2, highWatermark: 0, lowWatermark: 0),
        residents: [1, 1, 1, 1, 1, 1]),
      Marks(capacity: Capacity(entities: 0), residents: [0, 0, 0, 0, 0, 0]),
      Marks(capacity: Capacity(entities: nil, bytes: 0), residents: [0, 0, 0, 0, 0, 0]),
    ])
  func watermarks(marks: Marks) throws {
    for order in CachePolicy.boundedOrders {
      var client = try NoteClient(.test(evictionOrder: order, capacity: marks.capacity))
      let counts = (0..<6).map { number in
        client.write(
          number, Note(folder: 0, title: "", text: "nine here"), clock: UInt64(number + 1))
        client.store.checkInvariants()
        return client.store.residentEntities
      }
      #expect(counts == marks.residents, "\(order)")
      #expect(client.store.residentWeight == (counts.last ?? 0) * 10)
      #expect(client.store.statistics.retainedOverflow == 0)
    }
  }

  @Test("B10 A value that is heavier than the whole cache is not kept, and drives nothing out")
  func oversized() throws {
    var client = try NoteClient(.test(capacity: Capacity(entities: nil, bytes: 30)))
    Self.fill(&client, notes: 3, text: "nine here")
    let giant = Note(folder: 0, title: "", text: String(repeating: "x", count: 30))
    client.write(7, giant, clock: 10)
    #expect(client.residents == [0, 1, 2])
    client.write(1, giant, clock: 11)
    #expect(client.residents == [0, 2], "its former value is not the truth any longer")
    client.store.checkInvariants()
  }

  @Test("B12 A huge limit is a limit like any other", arguments: [Int.max, Int.max - 1, 1 << 53])
  func hugeLimits(limit: Int) throws {
    var client = try NoteClient(
      .test(capacity: Capacity(entities: limit, bytes: limit), maximumQueries: limit))
    Self.fill(&client, notes: 3)
    #expect(client.residents == [0, 1, 2])
  }

  @Test(
    "B12 Limits that make no sense are rejected with their name",
    arguments: [
      (CachePolicy.test(capacity: Capacity(entities: -1)), "capacity in entities is -1"),
      (.test(capacity: Capacity(entities: nil, bytes: -5)), "capacity in bytes is -5"),
      (.test(maximumQueries: -1), "maximum of queries is -1"),
      (
        .test(capacity: Capacity(entities: 1, highWatermark: 1.5)),
        "watermarks are low 1.0, high 1.5"
      ),
      (.test(capacity: Capacity(entities: 1, lowWatermark: .nan)), "watermarks are low nan"),
      (
        .test(capacity: Capacity(entities: 1, highWatermark: 0.5, lowWatermark: 0.6)),
        "watermarks are low 0.6, high 0.5"
      ),
      (.test(freshness: Freshness(timeToLive: .seconds(-1))), "time to live is negative"),
      (.test(coalescingWindow: .seconds(-1)), "coalescing window is negative"),
      (
        .test(freshness: Freshness(timeToLive: nil, staleWhileRevalidate: .seconds(-1))),
        "stale-while-revalidate is negative"
      ),
      (
        .test(freshness: Freshness(timeToLive: nil, staleIfError: .seconds(-1))),
        "stale-if-error is negative"
      ),
      (
        .test(releaseBuffer: ReleaseBuffer(queries: -1, age: nil)),
        "release buffer's queries is -1"
      ),
      (
        .test(releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(-1))),
        "release buffer's age is negative"
      ),
      (.test(evictionOrder: "lur"), "no eviction order is called \"lur\""),
    ])
  func nonsense(composition: CachePolicy, message: String) {
    let error = #expect(throws: CachePolicyError.self) { _ = try NoteClient(composition) }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }

  @Test(
    "B11 A result larger than the cache reaches waiting callers, complete and in order",
    arguments: [0, 1, 2])
  func largeResult(capacity: Int) throws {
    var server = NoteServer()
    for number in 0..<5 { server.write((number, Note(folder: 0, title: "\(9 - number)"))) }
    var client = try NoteClient(.test(capacity: Capacity(entities: capacity)))
    client.read(.folder(0))
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    client.complete(fetch.id, with: response)
    #expect(client.store.residentEntities == capacity)
    let rows = client.store.rows(of: fetch.target, answeredBy: response)
    #expect(rows == response.entities)
    #expect(client.read(.folder(0)) == .partial)
  }
}

@Suite("When something is evicted")
struct EvictionMomentTests {
  private static func client(
    _ retention: Retention, entities: Int, queries: Int? = nil
  ) throws -> NoteClient {
    try NoteClient(
      .test(
        capacity: Capacity(entities: entities), retention: retention, maximumQueries: queries))
  }

  @Test("B10 The rows of an answer are written one by one, and each makes its own space")
  func rowByRow() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.none, entities: 2)
    _ = client.load(.folder(1), from: server)
    #expect(
      client.load(.folder(0), from: server) == [2, 3], "the first two rows gave way to the last")
    #expect(client.store.statistics.evictions == 3)
    #expect(client.read(.folder(0)) == .partial)
  }

  @Test("B10 A hit uses its rows in their order, so of equal ones the first is evicted first")
  func usesInOrder() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.none, entities: 4)
    _ = client.load(.folder(0), from: server)
    #expect(client.read(.folder(0)) == .hit)
    client.write(90, Note(folder: 9, title: "x"), clock: 1_000)
    #expect(client.residents == [1, 2, 3, 90])
  }

  @Test("B9 B10 The limit on queries is kept when a query is made, before its answer is there")
  func queriesFirst() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.cached, entities: 1, queries: 1)
    _ = client.load(.folder(0), from: server)
    #expect(client.residents == [0, 1, 2, 3], "a soft limit is exceeded by what is retained")
    client.read(.folder(1))
    #expect(client.store.cachedQueries == 1)
    #expect(client.residents == [0, 1, 2, 3], "let go, and evicted by the next write")
    client.answerAll(from: server)
    #expect(client.residents == [10])
  }

  @Test("B3 B10 Rows dropped by a query may be evicted at the end of that commit, in order")
  func released() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.observed, entities: 2)
    client.observe(.folder(0), from: server)
    #expect(client.residents == [0, 1, 2, 3])
    #expect(client.store.statistics.evictions == 0)
    client.stopObserving(.folder(0))
    #expect(client.residents == [2, 3])
    client.store.checkInvariants()
  }

  @Test("B10 Without retention nothing is evicted because an observer leaves")
  func unobserved() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.none, entities: 4)
    client.observe(.folder(0), from: server)
    client.stopObserving(.folder(0))
    #expect(client.residents == [0, 1, 2, 3])
  }
}

/// A policy is as good as its notifications: of deadlines, of weights, and of space.
@Suite("Notifications to an eviction order about an entity")
struct OrderFactsTests {
  private func write(_ client: inout NoteClient, _ number: Int, clock: UInt64, bytes: Int = 0) {
    let text = String(repeating: "x", count: bytes)
    client.write(number, Note(folder: 0, title: "", text: text), clock: clock)
  }

  @Test("The deadline of freshness, and each time that a write moves it")
  func deadlines() throws {
    var client = try NoteClient(
      .test(
        evictionOrder: "expiring-first", capacity: Capacity(entities: 3),
        freshness: Freshness(timeToLive: .seconds(60))))
    for number in 1...3 {
      write(&client, number, clock: 1)
      client.wait(.seconds(1))
    }
    // A read uses the entity and makes it no younger.
    _ = client.store.readEntity(.note(1), library: .test, at: client.now)
    write(&client, 4, clock: 1)
    #expect(client.residents == [2, 3, 4])
    client.wait(.seconds(1))
    write(&client, 2, clock: 2)
    write(&client, 5, clock: 1)
    #expect(client.residents == [2, 4, 5], "2 was written after 3 and 4")
  }

  @Test("The deadline that an answer of not modified renews")
  func confirmation() throws {
    var server = NoteServer(writing: (1, Note(folder: 0, title: "1")))
    server.write((2, Note(folder: 1, title: "2")))
    var client = try NoteClient(
      .test(
        evictionOrder: "expiring-first", capacity: Capacity(entities: 2),
        freshness: Freshness(timeToLive: .seconds(10))))
    client.heartbeat(from: server)
    _ = client.load(.folder(0), from: server)
    client.wait(.seconds(5))
    _ = client.load(.folder(1), from: server)
    client.wait(.seconds(6))
    #expect(client.read(.folder(0)) == .missExpired)
    let fetch = client.takeFetch()
    #expect(fetch.unlessChangedSince != nil)
    client.complete(fetch.id, with: .notModified(at: server.place))
    write(&client, 9, clock: 1)
    #expect(client.residents == [1, 9], "1 is as young as its confirmation")
  }

  @Test("Bytes where bytes are limited, one each where entities are")
  func weights() throws {
    func survivors(_ capacity: Capacity, order: String) throws -> [Int] {
      var client = try NoteClient(.test(evictionOrder: order, capacity: capacity))
      for (number, bytes) in [(1, 4), (2, 20), (3, 8), (4, 2)] {
        write(&client, number, clock: 1, bytes: bytes)
      }
      return client.residents
    }
    #expect(try survivors(Capacity(entities: nil, bytes: 35), order: "size") == [1, 3, 4])
    #expect(try survivors(Capacity(entities: nil, bytes: 35), order: "gdsf") == [1, 3, 4])
    #expect(try survivors(Capacity(entities: 3), order: "size") == [2, 3, 4])
    #expect(try survivors(Capacity(entities: 3), order: "gdsf") == [2, 3, 4])
    // Of 30 bytes and 3 entities, each takes a third at least: 2 takes the most.
    #expect(try survivors(Capacity(entities: 3, bytes: 30), order: "size") == [1, 3, 4])
  }

  @Test("A weight that has changed")
  func changedWeight() throws {
    var client = try NoteClient(
      .test(evictionOrder: "size", capacity: Capacity(entities: nil, bytes: 40)))
    for number in 1...3 { write(&client, number, clock: 1, bytes: 10) }
    write(&client, 2, clock: 2, bytes: 15)
    write(&client, 4, clock: 1, bytes: 10)
    #expect(client.residents == [1, 3, 4])
  }

  @Test("Under unbounded there is no limit, whatever the policy says")
  func unbounded() throws {
    var client = try NoteClient(
      .test(evictionOrder: "unbounded", capacity: Capacity(entities: 2, bytes: 10)))
    for number in 1...20 { write(&client, number, clock: 1, bytes: 10) }
    #expect(client.store.residentEntities == 20)
    #expect(client.store.statistics.evictions == 0)
    #expect(client.store.statistics.retainedOverflow == 0)
    client.store.checkInvariants()
  }
}
