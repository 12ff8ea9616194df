import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("The release buffer: queries that lost their last observer", .timeLimit(.minutes(30)))
struct ReleaseBufferTests {
  static func server() -> NoteServer {
    var server = NoteServer()
    for folder in 0..<6 { server.write((folder, Note(folder: folder, title: "x"))) }
    return server
  }

  static func client(
    _ buffer: ReleaseBuffer, _ retention: Retention = .observed,
    freshness: Freshness = .neverExpires,
    maximumQueries: Int? = nil
  ) throws -> NoteClient {
    try NoteClient(
      .test(
        retention: retention, releaseBuffer: buffer, freshness: freshness,
        maximumQueries: maximumQueries))
  }

  /// The folders whose note is retained; each folder lists the note of its own number.
  static func held(_ client: borrowing NoteClient) -> [Int] {
    (0..<6).filter { client.store.referenceCount(of: .note($0)) > 0 }
  }

  @Test("B9 Under reference counting the buffer keeps the query itself, which serves from it")
  func referenceCounting() throws {
    let server = Self.server()
    var client = try Self.client(
      ReleaseBuffer(queries: 5, age: .seconds(9)), .referenceCountObserved)
    client.observe(.folder(0), from: server)
    client.stopObserving(.folder(0))
    #expect(client.residents == [0])
    #expect(client.read(.folder(0)) == .hit)
    #expect(client.store.nextDeadline == Instant.zero.advanced(by: .seconds(9)))
    client.wait(.seconds(9))
    #expect(client.store.cachedQueries == 0)
    #expect(client.residents == [])
    #expect(client.store.nextDeadline == nil)
  }

  @Test("B9 Invalidated and expired queries stay for as long as the buffer keeps them")
  func staleIsHeld() throws {
    let server = Self.server()
    var client = try Self.client(
      ReleaseBuffer(queries: nil, age: .seconds(60)), .cached,
      freshness: Freshness(timeToLive: .seconds(10), dropsExpired: true))
    client.observe(.folder(0), from: server)
    client.stopObserving(.folder(0))
    client.store.invalidate(NoteQuery.folder(0).key(), at: client.now)
    #expect(Self.held(client) == [0])
    client.wait(.seconds(20))
    #expect(Self.held(client) == [0])
    #expect(client.fetches.isEmpty, "nobody observes it")
    client.wait(.seconds(40))
    #expect(client.store.cachedQueries == 0)
  }

  @Test("B9 The limit on queries applies to the buffer")
  func queryLimit() throws {
    let server = Self.server()
    var client = try Self.client(ReleaseBuffer(queries: nil, age: nil), maximumQueries: 2)
    for folder in 0..<4 {
      client.observe(.folder(folder), from: server)
      client.stopObserving(.folder(folder))
    }
    #expect(Self.held(client) == [2, 3])
  }

  @Test("B9 A query that is never cached, or has nothing when its fetch fails, is not kept")
  func nothingToKeep() throws {
    let server = Self.server()
    var client = try Self.client(ReleaseBuffer(queries: nil, age: nil), .referenceCountObserved)
    client.observe(.live, from: server)
    client.stopObserving(.live)
    #expect(client.store.cachedQueries == 0)
    client.store.addObserver(of: NoteQuery.folder(0).key(), at: client.now)
    client.read(.folder(0))
    client.stopObserving(.folder(0))
    client.fail(client.takeFetch().id)
    #expect(client.store.cachedQueries == 0)
  }

  // MARK: Reads without an observer

  /// A query read at 1 s and answered at 2 s, in a buffer of 10 s.
  private func readOnce(
    _ reads: ReleaseBuffer.Reads, queries: Int? = nil
  ) throws -> NoteClient {
    var client = try Self.client(
      ReleaseBuffer(queries: queries, age: .seconds(10), reads: reads), .referenceCountObserved)
    client.wait(.seconds(1))
    client.read(.folder(0))
    client.wait(.seconds(1))
    client.answerAll(from: Self.server())
    return client
  }

  @Test("B9 An unobserved read leaves its result to the buffer, or to none")
  func readsEnter() throws {
    var client = try readOnce(.ignored)
    #expect(client.store.cachedQueries == 0)
    #expect(client.residents == [])
    for reads in [ReleaseBuffer.Reads.asObserved, .whileRoom] {
      client = try readOnce(reads)
      #expect(client.residents == [0], "\(reads)")
      #expect(client.read(.folder(0)) == .hit)
      #expect(client.store.nextDeadline != nil)
    }
  }

  @Test("B9 A read that counts as observed restarts its time, immediately on a hit")
  func readsRenew() throws {
    let server = Self.server()
    var client = try readOnce(.asObserved)
    #expect(client.store.nextDeadline == Instant.zero.advanced(by: .seconds(12)), "as answered")
    client.wait(.seconds(6))
    #expect(client.read(.folder(0)) == .hit)
    #expect(client.store.nextDeadline == Instant.zero.advanced(by: .seconds(18)))
    client.wait(.seconds(5))
    client.store.invalidate(NoteQuery.folder(0).key(), at: client.now)
    client.read(.folder(0))
    client.wait(.seconds(60))
    #expect(client.residents == [0], "whoever waits for the answer holds it")
    client.answerAll(from: server)
    #expect(client.store.nextDeadline == client.now.advanced(by: .seconds(10)))
    client.wait(.seconds(10))
    #expect(client.store.cachedQueries == 0)
    #expect(client.residents == [])
  }

  @Test("B9 A read that only fills a buffer with room renews nothing and pushes nothing out")
  func readsFill() throws {
    let server = Self.server()
    var client = try readOnce(.whileRoom, queries: 2)
    client.wait(.seconds(5))
    #expect(client.read(.folder(0)) == .hit)
    #expect(client.store.nextDeadline == Instant.zero.advanced(by: .seconds(12)))
    for folder in 1..<4 { _ = client.load(.folder(folder), from: server) }
    #expect(client.residents == [0, 1, 2, 3], "there was room for one more; the others wait")
    #expect(client.read(.folder(3)) == .hit)
    client.observe(.folder(2), from: server)
    #expect(client.fetches.isEmpty, "what waits to be collected is there")
    client.observe(.folder(4), from: server)
    client.stopObserving(.folder(4))
    #expect(client.residents == [1, 2, 4], "an observer that leaves pushes one out, and collects")
  }

  @Test("B9 If requests belong to observers, an observer that leaves cancels its request")
  func requestsLeave() throws {
    let server = Self.server()
    let key = NoteQuery.folder(0).key()
    for isShared in [false, true] {
      var client = try Self.client(
        ReleaseBuffer(queries: 2, age: nil, reads: .whileRoom), .referenceCountObserved)
      client.store.addObserver(of: key, at: client.now)
      client.read(.folder(0))
      if isShared { #expect(client.read(.folder(0)) == .coalesced) }
      client.stopObserving(.folder(0))
      client.answerAll(from: server)
      #expect(client.rows(of: .folder(0)) == (isShared ? [0] : []))
      #expect(client.store.cachedQueries == 1, "the buffer has it with nothing in it")
      #expect(client.read(.folder(0)) == (isShared ? .hit : .missCold))
      #expect(client.fetches.count == (isShared ? 0 : 1))
      client.answerAll(from: server)
      #expect(client.rows(of: .folder(0)) == [0])
    }
  }

  @Test("B9 A query that is pushed out while a reader waits for it is there when it is answered")
  func readersAreNotPushedOut() throws {
    let server = Self.server()
    var client = try Self.client(
      ReleaseBuffer(queries: 1, age: nil, reads: .whileRoom), .referenceCountObserved)
    client.store.addObserver(of: NoteQuery.folder(0).key(), at: client.now)
    client.read(.folder(0))
    client.stopObserving(.folder(0))
    client.answerAll(from: server)
    client.read(.folder(0))
    let fetch = client.takeFetch()
    client.observe(.folder(1), from: server)
    client.stopObserving(.folder(1))
    client.complete(fetch.id, with: server.answer(fetch.target))
    #expect(client.read(.folder(0)) == .hit)
    client.observe(.folder(2), from: server)
    client.stopObserving(.folder(2))
    #expect(client.residents == [2])
  }

  @Test("B9 A read whose fetch fails leaves the former content as an answer would")
  func readsFail() throws {
    var client = try readOnce(.asObserved)
    client.store.invalidate(NoteQuery.folder(0).key(), at: client.now)
    client.read(.folder(0))
    client.wait(.seconds(60))
    client.fail(client.takeFetch().id)
    #expect(client.residents == [0])
    client.wait(.seconds(10))
    #expect(client.residents == [])
  }

  @Test("B9 Under retention by observers a read that counts as one retains its rows")
  func readsHold() throws {
    let server = Self.server()
    var client = try Self.client(
      ReleaseBuffer(queries: nil, age: .seconds(10), reads: .asObserved), .observed)
    _ = client.load(.folder(0), from: server)
    #expect(Self.held(client) == [0])
    client.wait(.seconds(10))
    #expect(Self.held(client) == [])
    #expect(client.read(.folder(0)) == .hit)
    #expect(Self.held(client) == [0])
  }

  @Test("B9 The buffer does the same as a plain list of names and instants", arguments: 0..<8)
  func model(seed: Int) throws {
    let server = Self.server()
    var random = RandomSource(seed: UInt64(seed))
    let retention: Retention = seed.isMultiple(of: 2) ? .observed : .referenceCountObserved
    let limit = random.below(4)
    var client = try Self.client(ReleaseBuffer(queries: limit, age: .seconds(20)), retention)
    var observers = Array(repeating: 0, count: 6)
    var buffer: [(folder: Int, since: Instant)] = []
    for _ in 0..<400 {
      let folder = random.below(6)
      switch random.below(3) {
      case 0:
        client.observe(.folder(folder), from: server)
        observers[folder] += 1
        buffer.removeAll { $0.folder == folder }
      case 1 where observers[folder] > 0:
        client.stopObserving(.folder(folder))
        observers[folder] -= 1
        if observers[folder] == 0 { buffer.append((folder, client.now)) }
      default:
        client.wait(.seconds(random.below(8)))
      }
      buffer.removeAll { $0.since.advanced(by: .seconds(20)) <= client.now }
      buffer.removeFirst(max(buffer.count - limit, 0))
      let expected = (0..<6).filter { folder in
        observers[folder] > 0 || buffer.contains { $0.folder == folder }
      }
      #expect(Self.held(client) == expected)
      #expect(client.store.nextDeadline == buffer.first?.since.advanced(by: .seconds(20)))
      client.store.checkInvariants()
    }
  }
}
