import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Reference counting: by cached queries, and by observed ones", .timeLimit(.minutes(30)))
struct ReferenceCountTests {
  static let counted: [Retention] = [.referenceCount, .referenceCountObserved]

  /// Folder n has note n, and every note is starred.
  static func server(notes: Int = 6) -> NoteServer {
    var server = NoteServer()
    for number in 0..<notes {
      server.write((number, Note(folder: number, title: "\(number)", isStarred: true)))
    }
    return server
  }

  static func client(
    _ retention: Retention, capacity: Capacity = .unlimited, maximumQueries: Int? = nil,
    freshness: Freshness = .neverExpires
  ) throws -> NoteClient {
    try NoteClient(
      .test(
        capacity: capacity, retention: retention, freshness: freshness,
        maximumQueries: maximumQueries))
  }

  @Test("B7 B9 An entity stays while a cached query lists it, and goes with the last that does")
  func byCachedQueries() throws {
    let server = Self.server(notes: 3)
    var client = try Self.client(
      .referenceCount, capacity: Capacity(entities: 1), maximumQueries: 2)
    client.observe(.folder(0), from: server)
    client.stopObserving(.folder(0))
    #expect(client.residents == [0], "nobody observes the query, and it is cached")
    _ = client.load(.starred(limit: 2), from: server)
    #expect(client.residents == [0, 1], "what is counted is not evicted")
    #expect(client.store.referenceCount(of: .note(0)) == 2)
    _ = client.load(.folder(2), from: server)
    #expect(client.store.cachedQueries == 2)
    #expect(client.residents == [0, 1, 2], "folder 0 was read longest ago; its note is starred")
    #expect(client.store.referenceCount(of: .note(0)) == 1)
    _ = client.load(.folder(0), from: server)
    #expect(client.residents == [0, 2], "the last query that listed note 1 has left")
    #expect(client.store.statistics.evictions == 0)
  }

  @Test("B8 A new result immediately removes entities that no query lists any more")
  func replaced() throws {
    for retention in Self.counted {
      var server = NoteServer(
        writing: (0, Note(folder: 0, title: "a")), (1, Note(folder: 0, title: "b")))
      var client = try Self.client(retention)
      client.observe(.folder(0), from: server)
      #expect(client.residents == [0, 1])
      server.change([(.note(1), Note(folder: 9, title: "b"))])
      client.store.invalidate(NoteQuery.folder(0).key(), at: client.now)
      client.answerAll(from: server)
      #expect(client.rows(of: .folder(0)) == [0])
      #expect(client.residents == [0], "\(retention)")
    }
  }

  @Test("B9 A stale query retains nothing, and its rows go when it leaves, or for space")
  func stale() throws {
    var server = Self.server()
    for leavesFirst in [true, false] {
      var client = try Self.client(
        .referenceCount, capacity: Capacity(entities: 2), maximumQueries: 2)
      _ = client.load(.folder(0), from: server)
      client.store.invalidate(NoteQuery.folder(0).key(), at: client.now)
      #expect(client.store.referenceCount(of: .note(0)) == 0)
      #expect(client.residents == [0], "the query is cached, and its data stays")
      if leavesFirst {
        _ = client.load(.folder(1), from: server)
        _ = client.load(.folder(2), from: server)
        #expect(client.residents == [1, 2])
        #expect(client.store.statistics.evictions == 0, "it went with its query")
      } else {
        for number in [8, 9] {
          client.receive(server.write((number, Note(folder: 77, title: "pushed"))))
        }
        #expect(client.residents == [8, 9])
        #expect(client.store.statistics.evictions == 1)
      }
    }
  }

  @Test(
    "B7 Entities that no query ever listed stay until their space is needed, least recently used first",
    arguments: counted, ["opened", "pushed"])
  func unlisted(retention: Retention, way: String) throws {
    var server = Self.server()
    var client = try Self.client(retention, capacity: Capacity(entities: 2))
    for number in [3, 4] {
      if way == "opened" {
        _ = client.store.readEntity(.note(number), library: .test, at: client.now)
        client.answerAll(from: server)
      } else {
        client.receive(server.write((number, Note(folder: 80, title: "\(number)"))))
      }
    }
    #expect(client.residents == [3, 4])
    // Used again, so the other is the older one.
    #expect(client.store.readEntity(.note(3), library: .test, at: client.now).outcome == .hit)
    client.observe(.folder(0), from: server)
    #expect(client.residents == [0, 3])
    // Once a query has listed it, it is removed when none does.
    client.receive(server.write((3, Note(folder: 0, title: "moved in"))))
    #expect(client.rows(of: .folder(0)) == [0, 3])
    client.receive(server.write((3, Note(folder: 81, title: "moved out"))))
    #expect(client.residents == [0])
  }

  @Test(
    "B8 An entity that moves from one list to another is not released in between",
    arguments: counted)
  func moved(retention: Retention) throws {
    var server = Self.server()
    var client = try Self.client(retention)
    client.observe(.folder(0), from: server)
    client.observe(.folder(1), from: server)
    client.receive(server.write((0, Note(folder: 1, title: "moved"))))
    #expect(client.rows(of: .folder(0)) == [])
    #expect(client.rows(of: .folder(1)) == [1, 0])
    #expect(client.residents == [0, 1])
    #expect(client.isFresh(.folder(1)) == true)
  }

  @Test("B7 Counts equal the lists, after any sequence", arguments: 0..<60)
  func random(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    var server = Self.server()
    let retention = Self.counted[Int(seed % 2)]
    let buffer: ReleaseBuffer? =
      seed % 4 < 2
      ? nil
      : ReleaseBuffer(
        queries: 2, age: .seconds(5), reads: ReleaseBuffer.Reads.allCases[Int(seed / 4 % 3)])
    var client = try NoteClient(
      .test(
        capacity: Capacity(entities: 4), retention: retention, releaseBuffer: buffer,
        freshness: Freshness(timeToLive: seed % 3 == 0 ? .seconds(3) : nil), maximumQueries: 3))
    var observed: [NoteQuery] = []
    for _ in 0..<120 {
      let query = NoteQuery.folder(random.below(6))
      switch random.below(8) {
      case 0, 1:
        client.store.addObserver(of: query.key(), at: client.now)
        client.read(query)
        observed.append(query)
      case 2 where !observed.isEmpty:
        client.stopObserving(observed.remove(at: random.below(observed.count)))
      case 3: client.read(query)
      case 4: client.answerAll(from: server)
      case 5: client.wait(.seconds(random.below(4)))
      case 6: client.store.invalidate(query.key(), at: client.now)
      default:
        let note = Note(folder: random.below(6), title: "\(random.below(9))")
        client.receive(server.write((random.below(6), note)))
      }
    }
  }
}
