import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Starting with stored contents")
struct RestoreTests {
  private static let noon = Instant(nanoseconds: 1_000_000_000_000_000)

  /// The content that a client would have stored after some operations.
  private static func stored(
    by client: borrowing NoteClient
  ) -> CacheStore<NoteSchema>.Stored {
    client.store.storedState(
      wallClock: noon.advanced(byNanoseconds: client.now.nanoseconds), at: client.now)
  }

  /// A client that begins so much later.
  private static func restarted(
    _ composition: CachePolicy = .test(), from state: CacheStore<NoteSchema>.Stored,
    after pause: Duration = .zero
  ) throws -> NoteClient {
    var client = try NoteClient(composition)
    client.store.restore(state, wallClock: noon.advanced(by: pause), at: client.now)
    client.store.checkInvariants()
    client.collect()
    return client
  }

  private static func server(notes: Range<Int>) -> NoteServer {
    var server = NoteServer()
    for number in notes {
      server.write((number, Note(folder: number / 10, title: "\(9 - number % 10)", text: "abcd")))
    }
    return server
  }

  @Test(
    "B16 B53 The same queries answer with the same rows in order, duplicates too, without a server")
  func sameRows() throws {
    var server = Self.server(notes: 0..<30)
    server.repeatsRows = true
    var client = try NoteClient()
    let queries: [NoteQuery] = [.folder(0), .folder(2), .starred(limit: 3), .opaque]
    let rows = queries.map { client.load($0, from: server) }
    #expect(rows[3].first == rows[3].last && rows[3].count > 1)
    var other = try Self.restarted(from: Self.stored(by: client))
    for (query, rows) in zip(queries, rows) {
      #expect(other.read(query) == .hit)
      #expect(other.rows(of: query) == rows)
    }
    #expect(other.fetches.count == 0)
  }

  @Test("B4 B53 Loaded contents keep the limits: queries by last read, then their rows")
  func limits() throws {
    let server = Self.server(notes: 0..<30)
    var client = try NoteClient()
    for folder in [0, 1, 2] {
      _ = client.load(.folder(folder), from: server)
      client.wait(.seconds(1))
    }
    client.read(.folder(0))
    let composition = CachePolicy.test(
      capacity: Capacity(entities: 15), maximumQueries: 2)
    var other = try Self.restarted(composition, from: Self.stored(by: client))
    #expect(other.store.cachedQueries == 2)
    #expect(other.store.residentEntities == 15)
    #expect(other.read(.folder(0)) == .hit)
    #expect(other.read(.folder(2)) == .partial)
    #expect(other.read(.folder(1)) == .missCold)
  }

  @Test("B4 Limits in bytes apply to loaded contents", arguments: CachePolicy.boundedOrders)
  func bytes(evictionOrder: String) throws {
    let server = Self.server(notes: 0..<30)
    var client = try NoteClient()
    for folder in [0, 1, 2] { _ = client.load(.folder(folder), from: server) }
    // A note weighs 5.
    let composition = CachePolicy.test(
      evictionOrder: evictionOrder, capacity: Capacity(entities: nil, bytes: 52))
    let other = try Self.restarted(composition, from: Self.stored(by: client))
    #expect(other.store.residentWeight == 50)
    #expect(other.store.statistics.evictions == 0, "what does not fit is not loaded first")
  }

  @Test("B53 Contents that were not restored leave the storage with the next batch")
  func leftOut() throws {
    let server = Self.server(notes: 0..<20)
    var client = try NoteClient()
    _ = client.load(.folder(0), from: server)
    let state = Self.stored(by: client)
    for (capacity, replaces) in [(nil, false), (4, true)] as [(Int?, Bool)] {
      var other = try Self.restarted(
        .test(capacity: Capacity(entities: capacity)), from: state)
      other.store.persist(WriteBehind(window: .zero), at: other.now)
      other.collect()
      #expect(other.isFlushAsked == replaces)
      let batch = other.store.takeBatch(wallClock: Self.noon, at: other.now)
      #expect(batch?.replacesAll == (replaces ? true : nil))
    }
  }

  @Test("B53 Age goes on across a restart; where the wall clock went back, it is zero")
  func age() throws {
    let server = Self.server(notes: 0..<10)
    let composition = CachePolicy.test(freshness: Freshness(timeToLive: .seconds(60)))
    var client = try NoteClient(composition)
    _ = client.load(.folder(0), from: server)
    client.wait(.seconds(20))
    let state = Self.stored(by: client)
    for (pause, isFresh) in [(20, true), (59, true), (60, false), (3_600, false), (-3_600, true)] {
      // The pause counts from the fetch, twenty seconds before the end.
      var other = try Self.restarted(composition, from: state, after: .seconds(pause))
      #expect(other.isFresh(.folder(0)) == isFresh, "after \(pause) s")
      if pause < 0 {
        other.wait(.seconds(59))
        #expect(other.isFresh(.folder(0)) == true)
        other.wait(.seconds(1))
        #expect(other.isFresh(.folder(0)) == false)
      }
    }
  }

  @Test("B53 Stale queries stay stale, for the same reason")
  func staleness() throws {
    let server = Self.server(notes: 0..<30)
    var client = try NoteClient()
    client.heartbeat(from: server)
    for folder in [0, 1] { _ = client.load(.folder(folder), from: server) }
    client.store.invalidate(NoteQuery.folder(0).key(), at: client.now)
    let state = Self.stored(by: client)
    var other = try Self.restarted(from: state)
    #expect(other.read(.folder(0)) == .missInvalidated)
    #expect(other.read(.folder(1)) == .hit)
    #expect(other.isFresh(.note(5)) == true)

    client.store.invalidate(InvalidationTag(library: .test), at: client.now)
    other = try Self.restarted(from: Self.stored(by: client))
    #expect(other.read(.folder(1)) == .missInvalidated)
    #expect(other.isFresh(.note(5)) == false)
    // A new fetch ends it, as it would have without the restart.
    #expect(other.load(.folder(1), from: server).count == 10)
    #expect(other.isFresh(.folder(1)) == true)
  }

  @Test("A query that the schema no longer has is left out")
  func schemaChanged() throws {
    var state = CacheStore<NoteSchema>.Stored()
    for (query, members) in [(NoteQuery.live, 1), (.starred(limit: 2), 3), (.folder(1), 3)] {
      state.queries.append(
        StoredQuery(
          key: query.key(), members: (0..<members).map { .note($0) }, hasMore: false,
          isSorted: true, isTagged: false, fetchedAt: Self.noon, lastReadAt: Self.noon, place: nil,
          verification: 0, isMarkedStale: false, staleSince: nil))
    }
    var client = try NoteClient()
    let report = client.store.restore(state, wallClock: Self.noon, at: client.now)
    client.store.checkInvariants()
    #expect((report.queries, report.queriesLeftOut) == (1, 2))
    #expect(client.read(.folder(1)) == .partial)
  }
}
