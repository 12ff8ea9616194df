import CacheModel
import FaultSearch
import NormalizedCache
import Testing
import TidemarkTestSupport

@Suite("The release buffer: queries that lost their last observer")
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

  /// The folders whose note is held back; each folder lists the note of its own number.
  static func held(_ client: borrowing NoteClient) -> [Int] {
    (0..<6).filter { client.store.referenceCount(of: .note($0)) > 0 }
  }

  @Test("B9 Queries that lost their observers go first in first out, and stay when observed again")
  func byCount() throws {
    let server = Self.server()
    var client = try Self.client(ReleaseBuffer(queries: 2, age: nil))
    for folder in 0..<4 { client.observe(.folder(folder), from: server) }
    client.stopObserving(.folder(1))
    client.stopObserving(.folder(0))
    #expect(Self.held(client) == [0, 1, 2, 3])
    client.observe(.folder(1), from: server)
    client.stopObserving(.folder(2))
    #expect(Self.held(client) == [0, 1, 2, 3], "1 is out of the buffer")
    client.stopObserving(.folder(1))
    #expect(Self.held(client) == [1, 2, 3])
    client.stopObserving(.folder(3))
    #expect(Self.held(client) == [1, 3])
    #expect(client.store.nextDeadline == nil)
    client.store.checkInvariants()
  }

  @Test(
    "B9 A query stays for exactly the buffer's age",
    arguments: [
      (Duration.seconds(30), Duration.seconds(30) - .nanoseconds(1), true),
      (.seconds(30), .seconds(30), false), (.nanoseconds(1), .zero, true),
      (.zero, .zero, false), (.seconds(1 << 40), .seconds(1 << 33), true),
    ])
  func byAge(age: Duration, wait: Duration, isHeld: Bool) throws {
    let server = Self.server()
    var client = try Self.client(ReleaseBuffer(queries: nil, age: age))
    client.now = Instant(nanoseconds: 5)
    client.observe(.folder(0), from: server)
    client.stopObserving(.folder(0))
    client.wait(wait)
    #expect(Self.held(client) == (isHeld ? [0] : []))
    client.store.checkInvariants()
  }

  @Test("B9 Under reference counting the buffer keeps the query itself, which serves from it")
  func referenceCounting() throws {
    let server = Self.server()
    var client = try Self.client(ReleaseBuffer(queries: 5, age: .seconds(9)), .referenceCount)
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

  @Test("B9 What is invalidated or expired stays held as long as the buffer says so")
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
    client.store.checkInvariants()
  }

  @Test("B9 The limit on queries holds for what is in the buffer")
  func queryLimit() throws {
    let server = Self.server()
    var client = try Self.client(ReleaseBuffer(queries: nil, age: nil), maximumQueries: 2)
    for folder in 0..<4 {
      client.observe(.folder(folder), from: server)
      client.stopObserving(.folder(folder))
    }
    #expect(Self.held(client) == [2, 3])
    client.store.checkInvariants()
  }

  @Test("B9 A query that is never cached, or has nothing when its fetch fails, is not kept")
  func nothingToKeep() throws {
    let server = Self.server()
    var client = try Self.client(ReleaseBuffer(queries: nil, age: nil), .referenceCount)
    client.observe(.live, from: server)
    client.stopObserving(.live)
    #expect(client.store.cachedQueries == 0)
    client.store.addObserver(of: NoteQuery.folder(0).key(), at: client.now)
    client.read(.folder(0))
    client.stopObserving(.folder(0))
    client.fail(client.takeFetch().id)
    #expect(client.store.cachedQueries == 0)
    client.store.checkInvariants()
  }

  @Test("B9 The buffer does what a plain list of names and instants does", arguments: 0..<8)
  func model(seed: Int) throws {
    let server = Self.server()
    var random = RandomSource(seed: UInt64(seed))
    let retention: Retention = seed.isMultiple(of: 2) ? .observed : .referenceCount
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
